import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type Role = 'admin' | 'editor' | 'reader' | 'publisher' | 'outsider' | 'responder';

const tokens = new Map<Role, Promise<string>>();

/** Returns an access token of the role (client credentials). Each test file requests the token of a role once. */
export function tokenOf(role: Role): Promise<string> {
  const known = tokens.get(role);
  if (known !== undefined) return known;
  const asked = requestToken(role);
  tokens.set(role, asked);
  return asked;
}

async function requestToken(role: Role): Promise<string> {
  const clients: Record<string, Record<string, string>> = JSON.parse(
    process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}',
  );
  // The request opens a new connection, because the provider can close an idle connection of an earlier test file.
  const asked = request(`${process.env.TOCSIN_TEST_OIDC_ISSUER}/protocol/openid-connect/token`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  asked.end(new URLSearchParams({ grant_type: 'client_credentials', ...clients[role] }).toString());
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (response?.statusCode !== 200) throw new Error(`No token for ${role}: ${response?.statusCode}.`);
  const { access_token }: { access_token: string } = JSON.parse(await text(response));
  return access_token;
}
