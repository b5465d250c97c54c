import { randomUUID } from 'node:crypto';
import type { EngineAuth } from '../src/app.js';
import { adminKey, bearer, createTestDatabase, startEngine, type TestDatabase } from './support/engine.js';

let db: TestDatabase;
let engine: EngineAuth;

beforeAll(async () => {
  db = await createTestDatabase();
  engine = await startEngine(db);
});
afterAll(async () => {
  await engine.close(1_000);
  await db.drop();
});

const unknownKey = () => Buffer.from(`${randomUUID()}:${'a'.repeat(43)}`).toString('base64');

test('requests get 503 within seconds while the database does not respond', async () => {
  const ask = (path: string, credential: string) =>
    fetch(`${engine.url}${path}`, { headers: bearer(credential), signal: AbortSignal.timeout(15_000) });
  await db.database.knex.transaction(async (trx) => {
    await trx.raw('lock table api_keys in access exclusive mode');
    const responses = await Promise.all([
      ask('/auth/verify', unknownKey()),
      ask('/auth/api_keys/', adminKey),
    ]);
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });
  expect((await ask('/auth/verify', unknownKey())).status).toBe(401);
  expect((await ask('/auth/api_keys/', adminKey)).status).toBe(200);
});
