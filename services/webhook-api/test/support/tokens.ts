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
  const response = await fetch(`${process.env.TOCSIN_TEST_OIDC_ISSUER}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...clients[role] }),
  });
  if (!response.ok) throw new Error(`The provider gave no token for ${role}: ${response.status}.`);
  const { access_token }: { access_token: string } = JSON.parse(await response.text());
  return access_token;
}
