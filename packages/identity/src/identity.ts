import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type AuthenticateInput, type Logger, type Metrics } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { readBearerToken } from './bearer-token.js';
import { fetchKeys } from './fetch-keys.js';
import { createKeySource } from './key-source.js';
import type { Principal } from './principal.js';
import type { IdentitySettings } from './settings.js';
import { createTokenVerifier, type VerifiedToken } from './token-verifier.js';

export interface Identity {
  /**
   * For `createHttpApp`.
   * @throws AppError `unauthenticated`, or `unavailable` while the provider's keys cannot be had.
   */
  authenticate(input: Pick<AuthenticateInput, 'authorization'>): Promise<Principal>;
  /** The same for a token without its header. */
  verifyToken(token: string): Promise<Principal>;
}

export interface IdentityDeps {
  settings: IdentitySettings;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
  /** The wall clock in milliseconds. */
  now?: () => number;
}

const maxCachedTokens = 10_000;
/** A key that its provider withdraws is refused after this and the keys' own age, at the latest. */
const maxCachedMs = 30_000;

/**
 * Turns bearer tokens into principals. A token found good is remembered for a short while under a digest of it,
 * never itself, and never past its `exp`.
 */
export function createIdentity({ settings, logger, metrics, now = Date.now }: IdentityDeps): Identity {
  const checks = metrics.counter('tocsin_token_checks_total', 'Access tokens judged, by what was found.', [
    'result',
  ]);
  // A series that begins at 1 has no increase, which alarms look for.
  for (const result of ['good', 'remembered', 'refused', 'not_judged']) checks.inc({ result }, 0);
  const discoveryUrls = new Map(settings.issuers.map(({ issuer, discoveryUrl }) => [issuer, discoveryUrl]));
  const verify = createTokenVerifier({
    issuers: settings.issuers,
    keysOf: (issuer) =>
      createKeySource({
        issuer,
        fetchKeys: () => fetchKeys(issuer, discoveryUrls.get(issuer)),
        logger,
        now: () => performance.now(),
        wait: (ms) => sleep(ms, undefined, { ref: false }),
      }),
    currentDate: () => new Date(now()),
  });
  const verified = new LRUCache<string, VerifiedToken & { goodUntilMs: number }>({ max: maxCachedTokens });

  async function verifyToken(token: string): Promise<Principal> {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = verified.get(digest);
    if (known && now() < known.goodUntilMs) {
      checks.inc({ result: 'remembered' });
      return known.principal;
    }
    verified.delete(digest);
    const result = await verifyCounted(token);
    verified.set(digest, { ...result, goodUntilMs: Math.min(result.expiresAtMs, now() + maxCachedMs) });
    return result.principal;
  }

  async function verifyCounted(token: string): Promise<VerifiedToken> {
    try {
      const result = await verify(token);
      checks.inc({ result: 'good' });
      return result;
    } catch (error) {
      const isVerdict = error instanceof AppError && error.code === 'unauthenticated';
      checks.inc({ result: isVerdict ? 'refused' : 'not_judged' });
      throw error;
    }
  }

  return {
    authenticate: async ({ authorization }) => verifyToken(readBearerToken(authorization)),
    verifyToken,
  };
}
