import { timingSafeEqual } from 'node:crypto';
import { createPromiseBatcher, createSingleFlight } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import { digestOf, type RawKey } from '../api-keys/raw-key.js';
import type { KeyCheckResult } from '../metrics.js';
import type { BcryptQueue } from './bcrypt-queue.js';

export interface KeyValidatorDeps {
  /** Reads the hash of an active key. It is called only for a secret that this process has verified before. */
  findActiveHash(id: string): Promise<string | undefined>;
  /**
   * Reads the hash of an active key. It is called for a secret that was not verified before. An attacker can send many
   * wrong secrets, so the calls should be batched (see `createBatchedLookup`).
   */
  lookUp(id: string): Promise<string | undefined>;
  compare: BcryptQueue['compare'];
  /** Monotonic clock in milliseconds. */
  now(): number;
  /** Called once for each call of `validate`, before the database is queried or a cached result is returned. */
  onChecked?(result: KeyCheckResult): void;
}

export type ValidateKey = (key: RawKey) => Promise<boolean>;

export interface KeyValidator {
  /**
   * Returns true if the secret belongs to the active key with this id.
   * @throws AppError `unavailable` if too many checks of this key, or of all keys together, wait for bcrypt
   */
  validate: ValidateKey;
  /** Removes a deactivated key from the cache. Its next check reads the database. */
  forget(id: string): void;
}

/** A key whose secret matched its bcrypt hash in this process. */
interface VerifiedKey {
  digest: Buffer;
  hash: string;
  /** Start of the database query that read the hash, on the monotonic clock, in milliseconds. */
  readAtMs: number;
}

/**
 * Time for which the result of a check is cached, in milliseconds. For a valid key, the time starts with the database
 * query. The specification of the engine prescribes this cache time for valid keys ("In-memory cache TTL").
 */
const ttlMs = 10_000;
/** Maximum number of entries in each cache. */
const maxEntries = 10_000;

/**
 * Creates a validator of user keys. bcrypt runs only for an active key that is not in the cache of verified keys, or
 * whose hash has changed:
 * - For 10 s after the database query that verified a key, only the digest of the key is compared. After that, the hash
 *   is read again. While the hash is unchanged, the digest is still sufficient, because a key has only one secret.
 * - A key with an unknown id, and an inactive key, are rejected after the database query.
 * - For 10 s after a key was rejected, the same key is rejected without a database query.
 */
export function createKeyValidator(deps: KeyValidatorDeps): KeyValidator {
  const { findActiveHash, lookUp, compare, now, onChecked = () => {} } = deps;
  const verified = new LRUCache<string, VerifiedKey>({ max: maxEntries });
  const failures = new LRUCache<string, number>({ max: maxEntries });
  const forgottenAtMs = new LRUCache<string, number>({ max: maxEntries });
  const runningChecks = createSingleFlight<boolean>();

  async function check({ id, secret }: RawKey, digest: Buffer): Promise<boolean> {
    const known = verified.get(id);
    const isKnownSecret = known !== undefined && timingSafeEqual(known.digest, digest);
    const readAtMs = now();
    const hash = await (isKnownSecret ? findActiveHash(id) : lookUp(id));
    const isValid =
      hash !== undefined && (hash === known?.hash ? isKnownSecret : await compare(secret, hash, id));
    if (isValid) return cacheVerified(id, { digest, hash, readAtMs });
    failures.set(digest.toString('base64'), now() + ttlMs);
    return false;
  }

  /** Caches a verified key and returns true. Returns false if the key was deactivated after its query had started. */
  function cacheVerified(id: string, key: VerifiedKey): boolean {
    const wasForgotten = (forgottenAtMs.get(id) ?? Number.NEGATIVE_INFINITY) >= key.readAtMs;
    if (!wasForgotten) verified.set(id, key);
    return !wasForgotten;
  }

  return {
    async validate(key) {
      const digest = digestOf(key);
      const known = verified.get(key.id);
      if (known !== undefined && now() - known.readAtMs < ttlMs) {
        const isValid = timingSafeEqual(known.digest, digest);
        onChecked(isValid ? 'cached' : 'cached_rejection');
        return isValid;
      }
      const name = digest.toString('base64');
      if ((failures.get(name) ?? Number.NEGATIVE_INFINITY) > now()) {
        onChecked('cached_rejection');
        return false;
      }
      onChecked('looked_up');
      return runningChecks.run(name, () => check(key, digest));
    },
    forget(id) {
      forgottenAtMs.set(id, now());
      verified.delete(id);
    },
  };
}

/**
 * Returns a function that looks up ids in batches, one query at a time. Ids that arrive during a query share the next
 * query. The checks of wrong keys therefore use at most one database connection, however many there are.
 */
export function createBatchedLookup<T>(
  findAll: (ids: string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  const batcher = createPromiseBatcher<string, T | undefined>({
    run: async (ids) => {
      const found = await findAll([...new Set(ids)]);
      return ids.map((id) => found.get(id));
    },
    maxSize: Infinity,
    concurrency: 1,
    failsWholeBatch: () => true,
  });
  return batcher.add;
}
