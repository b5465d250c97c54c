import { randomBytes, randomUUID } from 'node:crypto';
import type { RoleName } from '@tocsin/local';
import { startIdentityProvider } from './identity-provider.js';
import { type ServiceProcess, startService } from './services.js';
import type { TestBed } from './test-bed.js';

/** The services `webhook-api` and `engine-auth`, and the OpenID provider that they trust. */
export interface Apis {
  apiUrl: string;
  engineUrl: string;
  workspaceId: string;
  engineAdminKey: string;
  /** Returns an access token of an admin of the workspace. */
  accessToken(): Promise<string>;
  stop(): Promise<void>;
}

export interface ApisOptions {
  workspaceId?: string;
  /** URL of the database. By default, the database of the test bed. */
  databaseUrl?: string;
  poolSize?: number;
}

export async function startApis(testBed: TestBed, options: ApisOptions = {}): Promise<Apis> {
  const { workspaceId = randomUUID(), databaseUrl = testBed.postgres.url, poolSize = 10 } = options;
  const engineAdminKey = randomBytes(24).toString('base64url');
  const provider = await startIdentityProvider(testBed, workspaceId);
  const env = {
    ...unlimited,
    OIDC_ISSUER: provider.issuer,
    GENAI_ENGINE_ADMIN_KEY: engineAdminKey,
    DATABASE_POOL_SIZE: String(poolSize),
  };
  const [api, engine] = await Promise.all([
    startService(testBed, { kind: 'webhook-api', databaseUrl, env }),
    startService(testBed, { kind: 'engine-auth', databaseUrl, env }),
  ]);
  return {
    apiUrl: api.httpUrl,
    engineUrl: engine.httpUrl,
    workspaceId,
    engineAdminKey,
    accessToken: () => provider.fetchToken('admin'),
    async stop() {
      await Promise.all([api.stop(), engine.stop()]);
      await provider.stop();
    },
  };
}

/** The service `webhook-api` and the OpenID provider that it trusts. */
export interface RunningApi {
  service: ServiceProcess;
  /** Returns an access token of a client with this role in the workspace. Default: publisher. */
  accessToken(role?: RoleName): Promise<string>;
  stop(): Promise<void>;
}

export async function startApi(testBed: TestBed, workspaceId: string): Promise<RunningApi> {
  const provider = await startIdentityProvider(testBed, workspaceId);
  const service = await startService(testBed, {
    kind: 'webhook-api',
    env: { ...unlimited, OIDC_ISSUER: provider.issuer },
    nodeOptions: testBed.nodeOptions,
  });
  return {
    service,
    accessToken: (role = 'publisher') => provider.fetchToken(role),
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
}

/** Rate limits that no measurement reaches. */
const unlimited = { REQUESTS_PER_MINUTE: '1000000', ALERTS_PER_MINUTE: '100000000' };

/** Creates user keys in the engine. Returns them in the format that users send. */
export async function createUserKeys({ engineUrl, engineAdminKey }: Apis, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const body = { description: `bench ${index}` };
    const created = await postJson(`${engineUrl}/auth/api_keys/`, engineAdminKey, body);
    keys.push((created as { key: string }).key);
  }
  return keys;
}

/**
 * Sends a POST request and returns the JSON body of the response.
 * @throws Error if the status is not 201
 */
export async function postJson(url: string, credential: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201)
    throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return response.json();
}

/**
 * Returns the time in milliseconds that `/auth/verify` takes for a valid key.
 * @throws Error if the engine rejects the key
 */
export async function timeVerify({ engineUrl }: Apis, key: string): Promise<number> {
  const startedAtMs = performance.now();
  const response = await fetch(`${engineUrl}/auth/verify`, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 204) throw new Error(`/auth/verify returned ${response.status}`);
  return performance.now() - startedAtMs;
}
