import { createHash } from 'node:crypto';
import type { Shutdown } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { Principal } from './principal.js';
import type { VerifiedToken } from './token-verifier.js';

/** Principals of valid tokens, by the digest of the token and never the token itself. */
export interface TokenCache {
  get(token: string): Principal | undefined;
  /** Keeps the principal for 30 s, or until the token expires. */
  set(token: string, verified: VerifiedToken): void;
}

export interface TokenCacheDeps {
  shutdown: Pick<Shutdown, 'addInterval'>;
  /** Wall clock in milliseconds. */
  now: () => number;
}

/** Cache time of a valid token. A key that its provider withdraws is rejected after this time plus the age of the keys. */
const maxCachedMs = 30_000;
/** 10,000 principals with a role in ten workspaces, or 460 with a role in 240. A check without the cache costs about 0.1 ms. */
const maxCacheBytes = 32 * 1_048_576;
/** Measured on Node 20: the heap of a principal, and of each workspace in which it has a role. */
const principalBytes = 700;
const workspaceBytes = 300;

export function createTokenCache({ shutdown, now }: TokenCacheDeps): TokenCache {
  const principals = new LRUCache<string, Principal>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ workspaceRoles }) => principalBytes + workspaceBytes * workspaceRoles.size,
    perf: { now },
    ttlResolution: 0,
    ttl: maxCachedMs,
  });
  // Without it, expired principals would stay in memory until others take their place.
  shutdown.addInterval(() => principals.purgeStale(), maxCachedMs);
  return {
    get: (token) => principals.get(digestOf(token)),
    set(token, { principal, expiresAtMs }) {
      // A token is valid for 30 s after it expires, because clocks differ, and is then checked each time.
      const ttl = Math.floor(Math.min(maxCachedMs, expiresAtMs - now()));
      if (ttl > 0) principals.set(digestOf(token), principal, { ttl });
    },
  };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
