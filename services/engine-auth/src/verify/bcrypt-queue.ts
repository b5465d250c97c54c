import { availableParallelism } from 'node:os';
import { AppError, createSemaphore } from '@tocsin/kit';
import bcrypt from 'bcrypt';

export interface BcryptQueue {
  /**
   * Compares a secret with the hash of the key with this id. One check of a key runs at a time and one waits, so that
   * guesses at one key's id delay only that key's first check.
   */
  compare(secret: string, hash: string, keyId: string): Promise<boolean>;
  /**
   * Hashes a secret. The semaphore is not shared with `compare`, so that keys can be created while many are checked.
   */
  hash(secret: string): Promise<string>;
  /** Number of calls that wait for a free thread. */
  waiting(): number;
}

export interface BcryptQueueOptions {
  concurrency?: number;
  maxWaiting?: number;
  /** Called with the duration of each bcrypt call in seconds, without its wait. */
  onDone?: (seconds: number) => void;
}

/** The customer's "Key hash cost": about 30 ms of one core. */
const rounds = 9;

/** One core stays free for callers with known keys. libuv's pool of four threads also serves DNS and files. */
const coresToUse = Math.max(1, Math.min(2, availableParallelism() - 1));

const maxHashesWaiting = 20;
/** All checks with one secret are one check, so only guesses and a changed key need more. */
const maxWaitingPerKey = 1;

/**
 * bcrypt with limits on concurrent and waiting calls. By default the waiting calls are about three seconds of work.
 * @throws AppError `unavailable` when too many calls wait
 */
export function createBcryptQueue(options: BcryptQueueOptions = {}): BcryptQueue {
  const { concurrency = coresToUse, maxWaiting = 100 * concurrency, onDone = () => {} } = options;
  const compares = createSemaphore({
    permits: concurrency,
    permitsPerKey: 1,
    maxWaiting,
    maxWaitingPerKey,
    createError: tooManyWait,
  });
  const hashes = createSemaphore({ permits: 1, maxWaiting: maxHashesWaiting, createError: tooManyWait });
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAtMs = performance.now();
    try {
      return await work();
    } finally {
      onDone((performance.now() - startedAtMs) / 1_000);
    }
  };
  return {
    compare: (secret, hash, keyId) => compares.run(() => timed(() => bcrypt.compare(secret, hash)), keyId),
    hash: (secret) => hashes.run(() => timed(() => bcrypt.hash(secret, rounds))),
    waiting: () => compares.waiting() + hashes.waiting(),
  };
}

function tooManyWait(): AppError {
  return new AppError('unavailable', 'Too many keys are being checked; try again.', { retryAfterSeconds: 1 });
}
