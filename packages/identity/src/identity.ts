import { createHash } from 'node:crypto';
import { AppError, type AuthenticateInput, type Logger, type Metrics, sleep } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { createKeySource, fetchKeys } from './key-source.js';
import type { Principal } from './principal.js';
import type { IdentitySettings } from './settings.js';
import { createTokenVerifier, readBearerToken, type VerifiedToken } from './token-verifier.js';

export interface Identity {
  /**
   * Verifies the `Authorization` header of a request, for kit's `createHttpApp`.
   * @throws AppError `unauthenticated`, or `unavailable` while there are no keys of the provider
   */
  authenticate(input: Pick<AuthenticateInput, 'authorization'>): Promise<Principal>;
  /** Verifies a token without its header; errors as in `authenticate`. */
  verifyToken(token: string): Promise<Principal>;
}

export interface IdentityDeps {
  settings: IdentitySettings;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
  /** Wall clock in milliseconds. */
  now?: () => number;
}

const maxCachedTokens = 10_000;
/** Cache time of a valid token. A key that its provider withdraws is rejected after this time plus the age of the keys. */
const maxCachedMs = 30_000;

/**
 * Verifies bearer tokens and returns their principals. Valid tokens are cached by digest, for 30 s at most and never
 * longer than their `exp`.
 */
export function createIdentity({ settings, logger, metrics, now = Date.now }: IdentityDeps): Identity {
  const checks = metrics.counter('tocsin_token_checks_total', 'Access tokens checked, by result.', [
    'result',
  ]);
  // Series start at 0, because a series that starts at 1 shows no increase and alarms watch increases.
  for (const result of ['valid', 'cached', 'invalid', 'unavailable']) checks.inc({ result }, 0);
  const verify = createTokenVerifier({
    issuers: settings.issuers,
    keysOf: (trusted) =>
      createKeySource({
        issuer: trusted.issuer,
        fetchKeys: () => fetchKeys(trusted),
        logger,
        now: () => performance.now(),
        wait: (ms) => sleep(ms),
      }),
    currentDate: () => new Date(now()),
  });
  const verified = new LRUCache<string, VerifiedToken & { validUntilMs: number }>({ max: maxCachedTokens });

  async function verifyToken(token: string): Promise<Principal> {
    const digest = createHash('sha256').update(token).digest('base64');
    const cached = verified.get(digest);
    if (cached && now() < cached.validUntilMs) {
      checks.inc({ result: 'cached' });
      return cached.principal;
    }
    verified.delete(digest);
    const result = await verifyCounted(token);
    verified.set(digest, { ...result, validUntilMs: Math.min(result.expiresAtMs, now() + maxCachedMs) });
    return result.principal;
  }

  async function verifyCounted(token: string): Promise<VerifiedToken> {
    try {
      const result = await verify(token);
      checks.inc({ result: 'valid' });
      return result;
    } catch (error) {
      const isInvalid = error instanceof AppError && error.code === 'unauthenticated';
      checks.inc({ result: isInvalid ? 'invalid' : 'unavailable' });
      throw error;
    }
  }

  return {
    authenticate: async ({ authorization }) => verifyToken(readBearerToken(authorization)),
    verifyToken,
  };
}
