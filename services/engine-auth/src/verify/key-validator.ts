import { createHash, timingSafeEqual } from 'node:crypto';
import { createSingleFlight } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { RawKey } from '../api-keys/raw-key.js';
import type { KeyCheck } from '../metrics.js';

export interface KeyValidatorDeps {
  findActiveHash(id: string): Promise<string | undefined>;
  /** Bounded bcrypt work; rejects with AppError `unavailable` when too much of it waits. */
  compare(secret: string, hash: string): Promise<boolean>;
  /** Throws the same at once: a key that would only be refused after it costs no question to the database. */
  assertRoom(): void;
  /** The bcrypt hash of nothing in particular, at the same cost as a key's: what an unknown id is compared with. */
  decoyHash: string;
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
const maxKeys = 10_000;
const maxFailures = 10_000;

/**
 * Judges user keys. A success counts for 10 seconds. After that the key is looked up again, and while its hash is the
 * one that it was proven against, bcrypt is not needed: keys in use never wait behind the guesses of strangers.
 */
export function createKeyValidator({
  findActiveHash,
  compare,
  assertRoom,
  decoyHash,
  now,
  onChecked = () => {},
}: KeyValidatorDeps): KeyValidator {
  const proofs = new LRUCache<string, Proof>({ max: maxKeys });
  const failures = new LRUCache<string, number>({ max: maxFailures });
  const forgottenAt = new LRUCache<string, number>({ max: maxKeys });
  const flight = createSingleFlight<boolean>();

  async function check({ id, secret }: RawKey, digest: Buffer): Promise<boolean> {
    const known = proofs.get(id);
    const wasProven = known !== undefined && timingSafeEqual(known.digest, digest);
    if (!wasProven) assertRoom();
    const readAtMs = now();
    const hash = await findActiveHash(id);
    const isProven = wasProven && known.hash === hash;
    // An unknown id costs what a wrong secret costs, so that the time of an answer does not tell which ids exist.
    const matches = isProven || (await compare(secret, hash ?? decoyHash));
    if (hash === undefined || !matches) {
      failures.set(digest.toString('base64'), now() + failureTtlMs);
      return false;
    }
    const wasForgotten = (forgottenAt.get(id) ?? Number.NEGATIVE_INFINITY) >= readAtMs;
    if (!wasForgotten) proofs.set(id, { digest, hash, readAtMs });
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

function digestOf({ id, secret }: RawKey): Buffer {
  return createHash('sha256').update(`${id}:${secret}`).digest();
}
