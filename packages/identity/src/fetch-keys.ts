import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

export type VerificationKeys = ReturnType<typeof createLocalJWKSet>;

const timeoutMs = 3_000;
const maxBytes = 1_048_576;

/**
 * Finds the keys that an issuer signs with, by OpenID Connect discovery at `discoveryUrl`, which differs from the
 * issuer where that is its address on the outside only.
 * @throws Error when the provider cannot be reached or answers something else than its own metadata and keys.
 */
export async function fetchKeys(issuer: string, discoveryUrl = issuer): Promise<VerificationKeys> {
  const metadataUrl = `${discoveryUrl.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = await fetchJson(metadataUrl);
  if (metadata.issuer !== issuer) throw new Error(`${metadataUrl} describes another issuer`);
  const jwksUri = metadata.jwks_uri;
  if (typeof jwksUri !== 'string' || !isAsSafeAs(discoveryUrl, jwksUri)) {
    throw new Error(`${metadataUrl} has no usable jwks_uri`);
  }
  const jwks = await fetchJson(jwksUri);
  // An empty set is a provider in trouble; taking it would throw away the keys that work.
  if (!Array.isArray(jwks.keys) || jwks.keys.length === 0) throw new Error(`${jwksUri} holds no keys`);
  return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
}

function isAsSafeAs(discoveryUrl: string, uri: string): boolean {
  return URL.canParse(uri) && (uri.startsWith('https://') || !discoveryUrl.startsWith('https://'));
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await readBounded(response, url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error(`${url} is not a JSON object`);
  return value as Record<string, unknown>;
}

async function readBounded(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${url} answered more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
