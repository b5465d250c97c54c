import { adminKey, type Service } from './stack.js';

/** The workspace in which the test clients have roles. */
export const workspaceId = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';

/** Sends a POST request as admin to a path of the workspace, and expects success. */
export async function post(api: Service, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${api.url}/api/v1/workspaces/${workspaceId}/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await tokenOf('admin')}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([path, response.ok]).toEqual([path, true]);
  return (await response.json()) as { id: string };
}

/** Creates an engine key and returns a function that verifies it. The function returns the HTTP status. */
export async function createEngineKey(engine: Service): Promise<() => Promise<number>> {
  const created = await fetch(`${engine.url}/auth/api_keys/`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
    body: '{"description": "d"}',
  });
  const { key } = (await created.json()) as { key: string };
  const headers = { Authorization: `Bearer ${key}` };
  return async () => (await fetch(`${engine.url}/auth/verify`, { headers })).status;
}

interface Credentials {
  client_id: string;
  client_secret: string;
}

const testClients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}') as Record<string, Credentials>;

export async function tokenOf(role: string): Promise<string> {
  const issuer = process.env.TOCSIN_TEST_OIDC_ISSUER ?? '';
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...testClients[role] });
  const response = await fetch(`${issuer}/protocol/openid-connect/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}
