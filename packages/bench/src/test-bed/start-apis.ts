import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePorts, makeDirectory, startProviderProcess } from '@tocsin/local';
import { startService } from './start-service.js';
import type { Stack } from './start-stack.js';

export interface Apis {
  apiUrl: string;
  engineUrl: string;
  workspaceId: string;
  engineAdminKey: string;
  /** Of an admin of the workspace. */
  accessToken(): Promise<string>;
  pids: { api: number; engine: number };
  stop(): Promise<void>;
}

export interface ApisOptions {
  workspaceId?: string;
  poolSize?: number;
}

const api = fileURLToPath(import.meta.resolve('../../../../services/webhook-api/dist/main.js'));
const engine = fileURLToPath(import.meta.resolve('../../../../services/engine-auth/dist/main.js'));

/** Starts both APIs as they are shipped, and an OpenID provider to sign in at. */
export async function startApis(
  stack: Stack,
  secretsKeys: string,
  { workspaceId = randomUUID(), poolSize = 10 }: ApisOptions = {},
): Promise<Apis> {
  const [apiPort = 0, apiMetrics = 0, enginePort = 0, engineMetrics = 0, oidcPort = 0] =
    await findFreePorts(5);
  const engineAdminKey = randomBytes(24).toString('base64url');
  const directory = makeDirectory({ workspaceId, otherWorkspaceId: randomUUID() });
  const provider = await startProviderProcess({
    processes: stack.processes,
    directory: join(stack.directory, `oidc-${oidcPort}`),
    logFile: stack.logOf('oidc'),
    settings: { ...realm, port: oidcPort, directory },
  });
  const env = {
    OIDC_ISSUER: provider.url,
    SECRETS_KEYS: secretsKeys,
    GENAI_ENGINE_ADMIN_KEY: engineAdminKey,
    // What is measured is the cost of a request, not the limit on them.
    REQUESTS_PER_MINUTE: '1000000',
    DATABASE_POOL_SIZE: String(poolSize),
  };
  const [apiService, engineService] = await Promise.all([
    startService(stack, {
      name: 'webhook-api',
      script: api,
      ports: { http: apiPort, metrics: apiMetrics },
      env: { ...env, OIDC_AUDIENCE: 'tocsin-api', PUBLIC_URL: `http://127.0.0.1:${apiPort}` },
    }),
    startService(stack, {
      name: 'engine-auth',
      script: engine,
      ports: { http: enginePort, metrics: engineMetrics },
      env: { ...env, OIDC_AUDIENCE: 'tocsin-engine' },
    }),
  ]);
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    engineUrl: `http://127.0.0.1:${enginePort}`,
    workspaceId,
    engineAdminKey,
    pids: { api: apiService.pid, engine: engineService.pid },
    async accessToken() {
      const { clientId, clientSecret } = directory.services.admin;
      return fetchToken(provider.url, { client_id: clientId, client_secret: clientSecret });
    },
    async stop() {
      await Promise.all([apiService.stop(), engineService.stop()]);
      await provider.child.stop();
    },
  };
}

async function fetchToken(issuer: string, client: Record<string, string>): Promise<string> {
  const response = await fetch(`${issuer}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...client }),
  });
  if (!response.ok) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

const realm = {
  realm: 'tocsin',
  audience: ['tocsin-api', 'tocsin-engine'],
  accessTokenTtlSeconds: 3_600,
  refreshTokenTtlSeconds: 3_600,
  rotateRefreshTokens: true,
  deviceClientId: 'tocsin-cli',
  consoleClientId: 'tocsin-console',
  consoleRedirectUris: ['http://127.0.0.1/console/'],
};
