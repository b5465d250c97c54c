import { createHash } from 'node:crypto';
import { type AuthenticateInput, createBoundedMap, type Logger } from '@tocsin/kit';
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
export function createIdentity({ settings, logger, now = Date.now }: IdentityDeps): Identity {
  const verify = createTokenVerifier({
    issuers: settings.issuers,
    keysOf: (issuer) => createKeySource({ issuer, fetchKeys, logger, now: () => performance.now() }),
    currentDate: () => new Date(now()),
  });
  const verified = createBoundedMap<string, VerifiedToken & { goodUntilMs: number }>(maxCachedTokens);

  async function verifyToken(token: string): Promise<Principal> {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = verified.get(digest);
    if (known && now() < known.goodUntilMs) return known.principal;
    verified.delete(digest);
    const result = await verify(token);
    verified.set(digest, { ...result, goodUntilMs: Math.min(result.expiresAtMs, now() + maxCachedMs) });
    return result.principal;
  }

  return {
    authenticate: async ({ authorization }) => verifyToken(readBearerToken(authorization)),
    verifyToken,
  };
}
