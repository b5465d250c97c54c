/** Tokens of a provider, with times of this machine's clock. */
export interface Tokens {
  accessToken: string;
  obtainedAtMs: number;
  /** Expiry in Unix milliseconds. Without one, the token counts as valid until the API refuses it. */
  expiresAtMs?: number;
  refreshToken?: string;
}

const leewayMs = 30_000;

/**
 * True until 30 s before the token expires, or for half of its lifetime if that is below one minute. False if the clock
 * was set back to a time before the token was issued.
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
 * Reads the response of a token endpoint. Only durations are taken from it, no times, so that the provider's clock does
 * not matter. `requestedAtMs` is the time before the request, when the token's lifetime had not begun.
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

/** Expiry of a JWT; undefined for an opaque token. Nothing is verified: that is the API's task. */
function parseClaims(token: string): { exp?: unknown; iat?: unknown } | undefined {
  const payload = token.split('.')[1] ?? '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
