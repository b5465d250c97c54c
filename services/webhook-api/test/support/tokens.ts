import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type Role = 'admin' | 'editor' | 'reader' | 'publisher' | 'outsider';

const tokens = new Map<Role, Promise<string>>();

/** An access token of the test run's provider, by client credentials; asked for once in a test file. */
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
  // A connection of its own: one that was kept from an earlier test file may be closed by the provider just now.
  const asked = request(`${process.env.TOCSIN_TEST_OIDC_ISSUER}/protocol/openid-connect/token`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  asked.end(new URLSearchParams({ grant_type: 'client_credentials', ...clients[role] }).toString());
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  if (answer?.statusCode !== 200) throw new Error(`No token for ${role}: ${answer?.statusCode}.`);
  const { access_token }: { access_token: string } = JSON.parse(await text(answer));
  return access_token;
}
