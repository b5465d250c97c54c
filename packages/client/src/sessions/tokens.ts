/** Tokens of a provider. Times are measured with this machine's clock. */
export interface Tokens {
  accessToken: string;
  obtainedAtMs: number;
  /** Expiry in Unix milliseconds. Undefined: the token is used until the API rejects it. */
  expiresAtMs?: number;
  refreshToken?: string;
}

const leewayMs = 30_000;

/**
 * Returns true until 30 s before the token expires. A token with a lifetime of less than one minute is fresh for half
 * of its lifetime, and a token without an expiry is always fresh. Returns false if the clock was set back to a time
 * before the token was requested.
 */
export function isFresh({ obtainedAtMs, expiresAtMs }: Tokens, nowMs: number): boolean {
  if (nowMs < obtainedAtMs) return false;
  if (expiresAtMs === undefined) return true;
  return nowMs < expiresAtMs - Math.min(leewayMs, (expiresAtMs - obtainedAtMs) / 2);
}

interface TokenResponse {
  access_token: string;
  expires_in?: number | undefined;
  refresh_token?: string | undefined;
}

/**
 * Reads the response of a token endpoint. The expiry is `requestedAtMs` (the time before the request) plus the lifetime
 * of the token, so it does not depend on the provider's clock. The lifetime is `expires_in`, or the difference of the
 * claims `exp` and `iat` of a JWT.
 */
export function tokensFromResponse(response: TokenResponse, requestedAtMs: number): Tokens {
  const lifeSeconds = response.expires_in ?? lifeOfJwt(response.access_token);
  return {
    accessToken: response.access_token,
    obtainedAtMs: requestedAtMs,
    ...(lifeSeconds !== undefined && { expiresAtMs: requestedAtMs + lifeSeconds * 1000 }),
    ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
  };
}

function lifeOfJwt(token: string): number | undefined {
  const claims = parseClaims(token);
  const { exp, iat } = claims ?? {};
  return typeof exp === 'number' && typeof iat === 'number' && exp > iat ? exp - iat : undefined;
}

/** Returns undefined for an opaque token. The signature of a JWT is not verified, because the API verifies it. */
function parseClaims(token: string): { exp?: unknown; iat?: unknown } | undefined {
  const payload = token.split('.')[1] ?? '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
