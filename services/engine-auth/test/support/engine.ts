import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { createEngineAuth, type EngineAuth, type EngineAuthOverrides } from '../../src/app.js';
import { loadConfig } from '../../src/config.js';

export const adminKey = 'the admin key: päss $%&';

/** Starts the service on its own database, with the broker and the provider of the test run. */
export async function startEngine(
  test: TestDatabase,
  { env = {}, overrides }: { env?: Record<string, string>; overrides?: EngineAuthOverrides } = {},
): Promise<EngineAuth> {
  const settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: test.url,
    AMQP_URL: process.env.TOCSIN_TEST_AMQP_URL,
    OIDC_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER,
    GENAI_ENGINE_ADMIN_KEY: adminKey,
    ...env,
  };
  return createEngineAuth(loadConfig(settings), overrides);
}

export { createTestDatabase, type TestDatabase };

/** HTTP headers carry bytes; fetch sends each character as one byte. */
export function bearer(credential: string): { Authorization: string } {
  return { Authorization: `Bearer ${Buffer.from(credential).toString('latin1')}` };
}

export interface CreatedKey {
  id: string;
  key: string;
}

export async function createKey(engine: EngineAuth, description = 'a test'): Promise<CreatedKey> {
  const response = await fetch(`${engine.url}/auth/api_keys/`, {
    method: 'POST',
    headers: { ...bearer(adminKey), 'Content-Type': 'application/json' },
    body: JSON.stringify({ description }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as CreatedKey;
}

export function deactivate(engine: EngineAuth, id: string): Promise<Response> {
  return fetch(`${engine.url}/auth/api_keys/deactivate/${id}`, {
    method: 'DELETE',
    headers: bearer(adminKey),
  });
}

export function verify(engine: EngineAuth, credential: string, method = 'GET'): Promise<Response> {
  return fetch(`${engine.url}/auth/verify`, { method, headers: bearer(credential) });
}

/** Fetches a token of the test run's provider for one of its clients. */
export async function tokenOf(role: string): Promise<string> {
  const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}') as Record<
    string,
    Record<string, string>
  >;
  const response = await fetch(`${process.env.TOCSIN_TEST_OIDC_ISSUER}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...clients[role] }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
