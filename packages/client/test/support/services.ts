import { createTestDatabase } from '@tocsin/testing/database';
import { adminKey, startEngine } from '../../../../services/engine-auth/test/support/engine.js';
import { startApi } from '../../../../services/webhook-api/test/support/api.js';
import type { OpenApiDocument } from './generate-types.js';

/** Starts `webhook-api` and `engine-auth` with the database server, broker and identity provider of the test run. */
export async function startServices() {
  const api = await startApi();
  const engineDatabase = await createTestDatabase();
  const engine = await startEngine(engineDatabase);
  return {
    apiUrl: api.url,
    engineUrl: engine.url,
    database: api.database,
    engineAdminKey: adminKey,
    documents: [await fetchDocument(api.url), await fetchDocument(engine.url)],
    async close() {
      await Promise.all([api.close(), engine.close(5_000)]);
      await engineDatabase.drop();
    },
  };
}

async function fetchDocument(url: string): Promise<OpenApiDocument> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
}
