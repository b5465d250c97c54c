/** What a provider gave, with the times of this machine's clock. */
export interface Tokens {
  accessToken: string;
  obtainedAtMs: number;
  /** Missing where the provider did not say: then the token is good until it is refused. */
  expiresAtMs?: number;
  refreshToken?: string;
}

const leewayMs = 30_000;

/**
 * Whether a token may still be handed out: until 30 seconds before it expires, or for half of its life where that is
 * shorter than a minute. False where the clock has been set back to before the token was obtained.
 */
export function isFresh({ obtainedAtMs, expiresAtMs }: Tokens, nowMs: number): boolean {
  if (nowMs < obtainedAtMs) return false;
  if (expiresAtMs === undefined) return true;
  return nowMs < expiresAtMs - Math.min(leewayMs, (expiresAtMs - obtainedAtMs) / 2);
}

interface TokenAnswer {
  access_token: string;
  expires_in?: number | undefined;
  refresh_token?: string | undefined;
}

/**
 * Reads a token endpoint's answer. Only durations are taken from the provider, never its times, so that a clock that
 * differs from ours does no harm. `requestedAtMs` is from before the request: the token's life began after it.
 */
export function tokensFromAnswer(answer: TokenAnswer, requestedAtMs: number): Tokens {
  const lifeSeconds = answer.expires_in ?? lifeOfJwt(answer.access_token);
  return {
    accessToken: answer.access_token,
    obtainedAtMs: requestedAtMs,
    ...(lifeSeconds !== undefined && { expiresAtMs: requestedAtMs + lifeSeconds * 1000 }),
    ...(answer.refresh_token !== undefined && { refreshToken: answer.refresh_token }),
  };
}

function lifeOfJwt(token: string): number | undefined {
  const claims = parseClaims(token);
  const { exp, iat } = claims ?? {};
  return typeof exp === 'number' && typeof iat === 'number' && exp > iat ? exp - iat : undefined;
}

/** Of an opaque token: undefined. Nothing is verified: the token is the API's to judge. */
function parseClaims(token: string): { exp?: unknown; iat?: unknown } | undefined {
  const payload = token.split('.')[1] ?? '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
