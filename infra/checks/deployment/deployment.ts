import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createPlatformClient, type PlatformClient } from '@tocsin/client';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Settings of the tested deployment: the defaults of the compose file, overridden by the files that make-env.js writes
 * (.env and secrets/). Environment variables override both.
 */
const settings: Record<string, string | undefined> = {
  API_URL: 'http://localhost:8080',
  ENGINE_URL: 'http://localhost:8081',
  OIDC_ISSUER: 'http://localhost:8180/realms/tocsin',
  ADMIN_CLIENT_ID: 'tocsin-admin',
  PUBLISHER_CLIENT_ID: 'tocsin-publisher',
  DESTINATION_HOST: 'host.docker.internal',
  DELIVERY_FILE: `${root}.tocsin/deployed-delivery.json`,
  ...readEnvFile(`${root}.env`),
  ...readSecrets(`${root}secrets`),
  ...process.env,
};

function readEnvFile(file: string): Record<string, string> {
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/**
 * Reads a folder in which each file contains one secret. The name of a setting is the file name in upper case: the file
 * `tocsin_admin_client_secret` contains the setting TOCSIN_ADMIN_CLIENT_SECRET.
 */
function readSecrets(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder);
  return Object.fromEntries(
    files.map((name) => [name.toUpperCase(), readFileSync(`${folder}/${name}`, 'utf8').trim()]),
  );
}

export function setting(name: string): string {
  const value = settings[name];
  if (value === undefined || value === '')
    throw new Error(`${name} is neither in .env, in secrets/ nor in the environment.`);
  return value;
}

export type Account = 'ADMIN' | 'PUBLISHER';

/** Returns an access token of a service account (client credentials grant). */
export async function tokenOf(account: Account): Promise<string> {
  const response = await fetch(`${setting('OIDC_ISSUER')}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: setting(`${account}_CLIENT_ID`),
      client_secret: setting(`TOCSIN_${account}_CLIENT_SECRET`),
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`The provider returned ${response.status} and no token.`);
  return token;
}

/** Returns an API client for the workspace of the setting WORKSPACE_ID. */
export async function clientOf(account: Account): Promise<PlatformClient> {
  const credential = await tokenOf(account);
  return createPlatformClient({ url: setting('API_URL'), credential, workspaceId: setting('WORKSPACE_ID') });
}
