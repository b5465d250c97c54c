import { hash } from 'node:crypto';
import type { Shutdown } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { Principal } from './principal.js';
import type { VerifiedToken } from './token-verifier.js';

/** Cache of the principals of valid tokens. Its keys are digests, so that tokens are never stored. */
export interface TokenCache {
  get(token: string): Principal | undefined;
  /** Caches the principal for 30 s, or until the token expires if that is earlier. */
  set(token: string, verified: VerifiedToken): void;
}

export interface TokenCacheDeps {
  shutdown: Pick<Shutdown, 'addInterval'>;
  /** Wall clock in milliseconds. */
  now: () => number;
}

/**
 * Time for which a valid token is cached, in milliseconds. If the provider withdraws a key, tokens that were signed
 * with it can therefore be accepted until 30 s after the next fetch of the keys.
 */
const maxCachedMs = 30_000;
/**
 * Maximum memory of the cache in bytes: 9,000 principals with roles in ten workspaces each, or 460 principals with
 * roles in 240. A larger cache would save little, because the verification of a token takes only about 0.1 ms.
 */
const maxCacheBytes = 32 * 1_048_576;
/**
 * Estimated heap of a principal without workspaces, and of each workspace in which it has a role, in bytes. Measured on
 * Node 20.
 */
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
  // A timer removes expired principals. Without the timer, they would stay in memory until other principals replace
  // them.
  shutdown.addInterval(() => principals.purgeStale(), maxCachedMs);
  return {
    get: (token) => principals.get(digestOf(token)),
    set(token, { principal, expiresAtMs }) {
      // A token is still valid for 30 s after its expiry, because clocks differ. An expired token is not cached.
      const ttl = Math.floor(Math.min(maxCachedMs, expiresAtMs - now()));
      if (ttl > 0) principals.set(digestOf(token), principal, { ttl });
    },
  };
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64');
}
