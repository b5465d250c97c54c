import { timingSafeEqual } from 'node:crypto';
import { AppError, createSemaphore, createSingleFlight } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { StoredSecret } from '../api-keys/api-key.js';
import type { RawKey } from '../api-keys/raw-key.js';
import { digestOf, secretTag } from '../api-keys/secret-tag.js';
import type { KeyCheck } from '../metrics.js';

export interface KeyValidatorDeps {
  /** For a key in use. */
  findActiveHash(id: string): Promise<string | undefined>;
  /** For a key that may be a guess: asked together with others. */
  lookUp(id: string): Promise<StoredSecret | undefined>;
  /** Tells the tag of a key that was found good and had none. */
  onUntagged(id: string, tag: number): void;
  /** Bounded bcrypt work; rejects with AppError `unavailable` when too much of it waits. */
  compare(secret: string, hash: string): Promise<boolean>;
  wait(ms: number): Promise<unknown>;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Told once for each call of `validate`. */
  onChecked?(answer: KeyCheck): void;
}

export type ValidateKey = (key: RawKey) => Promise<boolean>;

export interface KeyValidator {
  validate: ValidateKey;
  /** The key was deactivated: the next use reads the database. */
  forget(id: string): void;
}

/** What was proven: this secret, by its digest and never itself, matches this hash. */
interface Proof {
  digest: Buffer;
  hash: string;
  /** When the database was asked, not when it answered. */
  readAtMs: number;
}

/** The customer's "In-memory cache TTL", counted from the database read. */
const successTtlMs = 10_000;
const failureTtlMs = 10_000;
/**
 * When a key is refused, counted from its check's beginning: longer than the lookup takes, and bcrypt where it is
 * needed, also on a busy machine. An unknown id is told from a wrong secret neither by when it is answered nor by what.
 */
const refusedAfterMs = 200;
/** Checks that can wait for the same key. With the running one they take `refusedAfterMs`. */
const maxWaitingChecks = 5;
const maxKeys = 10_000;
const maxFailures = 10_000;

/**
 * Judges user keys. A success counts for 10 seconds. After that the key is looked up again, and while its hash is the
 * one that it was proven against, bcrypt is not needed: keys in use never wait behind the guesses of strangers. Nor do
 * those that are used for the first time: only secrets with the key's tag come to bcrypt, one of each key at a time.
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
  const proofs = new LRUCache<string, Proof>({ max: maxKeys });
  const failures = new LRUCache<string, number>({ max: maxFailures });
  const forgottenAt = new LRUCache<string, number>({ max: maxKeys });
  const flight = createSingleFlight<boolean>();
  const checks = createSemaphore({
    permits: Infinity,
    permitsPerKey: 1,
    maxWaitingPerKey: maxWaitingChecks,
    createError: keyIsBusy,
  });

  async function check(key: RawKey, digest: Buffer): Promise<boolean> {
    const known = proofs.get(key.id);
    if (known !== undefined && timingSafeEqual(known.digest, digest)) {
      const readAtMs = now();
      const hash = await findActiveHash(key.id);
      if (hash === known.hash) return prove(key.id, { digest, hash, readAtMs });
    }
    return checkUnproven(key, digest);
  }

  async function checkUnproven({ id, secret }: RawKey, digest: Buffer): Promise<boolean> {
    const readAtMs = now();
    const stored = await lookUp(id);
    const tag = secretTag(digest);
    if (stored !== undefined && (stored.tag ?? tag) === tag) {
      const { hash } = stored;
      if (await checks.run(() => compare(secret, hash), id)) {
        if (stored.tag === null) onUntagged(id, tag);
        return prove(id, { digest, hash, readAtMs });
      }
    }
    failures.set(digest.toString('base64'), now() + failureTtlMs);
    await wait(readAtMs + refusedAfterMs - now());
    return false;
  }

  function prove(id: string, proof: Proof): boolean {
    const wasForgotten = (forgottenAt.get(id) ?? Number.NEGATIVE_INFINITY) >= proof.readAtMs;
    if (!wasForgotten) proofs.set(id, proof);
    return !wasForgotten;
  }

  return {
    async validate(key) {
      const digest = digestOf(key);
      const proof = proofs.get(key.id);
      if (proof && now() - proof.readAtMs < successTtlMs && timingSafeEqual(proof.digest, digest)) {
        onChecked('cached');
        return true;
      }
      const name = digest.toString('base64');
      if ((failures.get(name) ?? Number.NEGATIVE_INFINITY) > now()) {
        onChecked('cached_refusal');
        return false;
      }
      onChecked('looked_up');
      return flight.run(name, () => check(key, digest));
    },
    forget(id) {
      forgottenAt.set(id, now());
      proofs.delete(id);
    },
  };
}

function keyIsBusy(): AppError {
  return new AppError('unavailable', 'This key is being checked; try again.', { retryAfterSeconds: 1 });
}
