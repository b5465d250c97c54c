import { timingSafeEqual } from 'node:crypto';
import { AppError, createPromiseBatcher, createSemaphore, createSingleFlight } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { StoredSecret } from '../api-keys/api-key.js';
import { digestOf, type RawKey, secretTag } from '../api-keys/raw-key.js';
import type { KeyCheck } from '../metrics.js';

export interface KeyValidatorDeps {
  /** Reads the hash of a key that was verified before. */
  findActiveHash(id: string): Promise<string | undefined>;
  /** Reads a key that may be a guess; see `createBatchedLookup`. */
  lookUp(id: string): Promise<StoredSecret | undefined>;
  /** Called with the tag of a valid key that has none yet. */
  onUntagged(id: string, tag: number): void;
  /** Compares with bcrypt; rejects with AppError `unavailable` if too many calls wait. */
  compare(secret: string, hash: string): Promise<boolean>;
  wait(ms: number): Promise<unknown>;
  /** Monotonic clock in milliseconds. */
  now(): number;
  /** Called once for each call of `validate`. */
  onChecked?(result: KeyCheck): void;
}

export type ValidateKey = (key: RawKey) => Promise<boolean>;

export interface KeyValidator {
  validate: ValidateKey;
  /** Called when the key is deactivated: its next use reads the database. */
  forget(id: string): void;
}

/** Digest of a secret that matches the bcrypt hash. */
interface VerifiedKey {
  digest: Buffer;
  hash: string;
  /** Time at which the database query started, in milliseconds. */
  readAtMs: number;
}

/** The customer's "In-memory cache TTL", counted from the database query. */
const successTtlMs = 10_000;
const failureTtlMs = 10_000;
/**
 * Time from the start of a check to its rejection. It exceeds lookup plus bcrypt on a busy machine, so that the response
 * time does not tell an unknown id from a wrong secret.
 */
const rejectedAfterMs = 200;
/** Checks of one key that may wait. Together with the running one they take about `rejectedAfterMs`. */
const maxWaitingChecks = 5;
const maxKeys = 10_000;
const maxFailures = 10_000;

/**
 * Verifies user keys. Three rules keep guesses from delaying valid keys:
 * - A valid key is cached for 10 s. After that its hash is read again, and bcrypt is skipped if the hash is unchanged.
 * - Secrets whose tag differs from the key's tag are rejected without bcrypt.
 * - One check of each key runs at a time.
 */
export function createKeyValidator({
  findActiveHash,
  lookUp,
  onUntagged,
  compare,
  wait,
  now,
  onChecked = () => {},
}: KeyValidatorDeps): KeyValidator {
  const verified = new LRUCache<string, VerifiedKey>({ max: maxKeys });
  const failures = new LRUCache<string, number>({ max: maxFailures });
  const forgottenAt = new LRUCache<string, number>({ max: maxKeys });
  const runningChecks = createSingleFlight<boolean>();
  const checks = createSemaphore({
    permits: Infinity,
    permitsPerKey: 1,
    maxWaitingPerKey: maxWaitingChecks,
    createError: keyIsBusy,
  });

  async function check(key: RawKey, digest: Buffer): Promise<boolean> {
    const cached = verified.get(key.id);
    if (cached !== undefined && timingSafeEqual(cached.digest, digest)) {
      const readAtMs = now();
      const hash = await findActiveHash(key.id);
      if (hash === cached.hash) return cacheVerified(key.id, { digest, hash, readAtMs });
    }
    return checkWithBcrypt(key, digest);
  }

  async function checkWithBcrypt({ id, secret }: RawKey, digest: Buffer): Promise<boolean> {
    const readAtMs = now();
    const stored = await lookUp(id);
    const tag = secretTag(digest);
    if (stored !== undefined && (stored.tag ?? tag) === tag) {
      const { hash } = stored;
      if (await checks.run(() => compare(secret, hash), id)) {
        if (stored.tag === null) onUntagged(id, tag);
        return cacheVerified(id, { digest, hash, readAtMs });
      }
    }
    failures.set(digest.toString('base64'), now() + failureTtlMs);
    await wait(readAtMs + rejectedAfterMs - now());
    return false;
  }

  /** Returns false if the key was deactivated after it was read. */
  function cacheVerified(id: string, key: VerifiedKey): boolean {
    const wasForgotten = (forgottenAt.get(id) ?? Number.NEGATIVE_INFINITY) >= key.readAtMs;
    if (!wasForgotten) verified.set(id, key);
    return !wasForgotten;
  }

  return {
    async validate(key) {
      const digest = digestOf(key);
      const cached = verified.get(key.id);
      if (cached && now() - cached.readAtMs < successTtlMs && timingSafeEqual(cached.digest, digest)) {
        onChecked('cached');
        return true;
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
      forgottenAt.set(id, now());
      verified.delete(id);
    },
  };
}

function keyIsBusy(): AppError {
  return new AppError('unavailable', 'This key is being checked; try again.', { retryAfterSeconds: 1 });
}

/**
 * Looks up ids in batches, one query at a time: the ids that arrive during a query share the next one. Lookups of
 * unknown callers use one database connection at most, however many there are.
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
