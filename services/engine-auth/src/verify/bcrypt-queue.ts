import { availableParallelism } from 'node:os';
import { AppError, createSemaphore } from '@tocsin/kit';
import bcrypt from 'bcrypt';

export interface BcryptQueue {
  /**
   * Compares a secret with the hash of the key `keyId`. For each key, one comparison can run and one can wait; further
   * ones fail. Many checks of one key with wrong secrets therefore cannot fill the queue.
   */
  compare(secret: string, hash: string, keyId: string): Promise<boolean>;
  /** Hashes a secret. Hashing has its own semaphore, so that keys can be created while many are checked. */
  hash(secret: string): Promise<string>;
  /** Number of waiting comparisons and hashes. */
  waiting(): number;
}

export interface BcryptQueueOptions {
  concurrency?: number;
  maxWaiting?: number;
  /** Called after each bcrypt call with its duration in seconds, without its time in the queue. */
  onDone?: (seconds: number) => void;
}

/**
 * Cost factor of bcrypt that the specification of the engine prescribes ("Key hash cost"). One hash takes about 30 ms
 * of one core.
 */
const rounds = 9;

/**
 * Maximum number of comparisons that run at the same time. On a machine with several cores, one core is left for other
 * work. At most two threads are used, because the pool of four threads in Node.js also serves DNS and files.
 */
const coresToUse = Math.max(1, Math.min(2, availableParallelism() - 1));

const maxHashesWaiting = 20;
/**
 * Maximum number of waiting comparisons of one key. Concurrent checks of the same secret share one comparison, so more
 * than one comparison of a key is needed only if wrong secrets are checked.
 */
const maxWaitingPerKey = 1;

/**
 * Creates bcrypt functions with limits on concurrent and waiting calls. By default, the longest queue of comparisons
 * takes about three seconds. A call that exceeds a limit rejects with an AppError `unavailable`.
 */
export function createBcryptQueue(options: BcryptQueueOptions = {}): BcryptQueue {
  const { concurrency = coresToUse, maxWaiting = 100 * concurrency, onDone = () => {} } = options;
  const compares = createSemaphore({
    permits: concurrency,
    permitsPerKey: 1,
    maxWaiting,
    maxWaitingPerKey,
    createError: () => tooManyWait('checked'),
  });
  const hashes = createSemaphore({
    permits: 1,
    maxWaiting: maxHashesWaiting,
    createError: () => tooManyWait('created'),
  });
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

function tooManyWait(work: 'checked' | 'created'): AppError {
  return new AppError('unavailable', `Too many keys are being ${work}; try again.`, { retryAfterSeconds: 1 });
}
