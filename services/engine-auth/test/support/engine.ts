import { randomUUID } from 'node:crypto';
import { makeAccounts, type RoleName, startProvider } from '@tocsin/local';
import { useResource } from '@tocsin/testing';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { createEngineAuth, type EngineAuth, type EngineAuthOverrides } from '../../src/app.js';
import { loadConfig } from '../../src/config.js';

export const adminKey = 'the admin key: päss $%&';

/** Starts the service with the database `test`. All test files share the broker and the identity provider. */
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

/** Starts the service and its database before all tests of a file, and closes them after the tests. */
export const useEngine = (env: Record<string, string> = {}) =>
  useResource({
    create: async () => {
      const test = await createTestDatabase();
      return { test, database: test.database, engine: await startEngine(test, { env }) };
    },
    async close({ test, engine }) {
      await engine.close(5_000);
      await test.drop();
    },
  });

/**
 * Starts two instances of the service on one database for all tests of a file. `clock.aheadMs` sets the monotonic clock
 * of `other` ahead.
 */
export const useEnginePair = () => useResource({ create: startEnginePair, close: (pair) => pair.close() });

async function startEnginePair() {
  const database = await createTestDatabase();
  const clock = { aheadMs: 0 };
  const engine = await startEngine(database);
  const other = await startEngine(database, { overrides: { now: () => performance.now() + clock.aheadMs } });
  return {
    database,
    engine,
    other,
    clock,
    async close() {
      await Promise.all([engine.close(5_000), other.close(5_000)]);
      await database.drop();
    },
  };
}

/**
 * Returns the `Authorization` header with a credential. fetch sends each character of a header as one byte, so the
 * credential is first encoded as UTF-8, and each byte becomes one character.
 */
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

/** Fetches a token for one of the clients of the test run's identity provider. */
export async function tokenOf(role: string): Promise<string> {
  const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}') as Record<
    string,
    Record<string, string>
  >;
  return fetchToken(process.env.TOCSIN_TEST_OIDC_ISSUER ?? '', clients[role]);
}

export interface TokenIssuer {
  issuer: string;
  tokenOf(role: RoleName): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts another identity provider, whose tokens have the audience of the engine. All providers that this function
 * starts issue tokens for the same subjects.
 */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const accounts = makeAccounts({ workspaceId: randomUUID(), otherWorkspaceId: randomUUID() });
  const { issuer, close } = await startProvider({
    port: 0,
    realm: 'tocsin',
    accounts,
    audience: ['tocsin-engine'],
    engineAudience: [],
    accessTokenTtlSeconds: 300,
    refreshTokenTtlSeconds: 300,
    rotateRefreshTokens: false,
    deviceClientId: 'tocsin-cli',
    consoleClientId: 'tocsin-console',
    consoleRedirectUris: ['http://127.0.0.1/console/'],
  });
  return {
    issuer,
    tokenOf(role) {
      const { clientId, clientSecret } = accounts.services[role];
      return fetchToken(issuer, { client_id: clientId, client_secret: clientSecret });
    },
    close,
  };
}

async function fetchToken(issuer: string, client: Record<string, string> | undefined): Promise<string> {
  const response = await fetch(`${issuer}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...client }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
