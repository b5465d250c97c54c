import { availableParallelism } from 'node:os';
import { AppError, createSemaphore } from '@tocsin/kit';
import bcrypt from 'bcrypt';

export interface BcryptQueue {
  compare(secret: string, hash: string): Promise<boolean>;
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

/**
 * bcrypt with limits on concurrent and waiting calls. By default the waiting calls are about three seconds of work.
 * @throws AppError `unavailable` when too many calls wait
 */
export function createBcryptQueue(options: BcryptQueueOptions = {}): BcryptQueue {
  const { concurrency = coresToUse, maxWaiting = 100 * concurrency, onDone = () => {} } = options;
  const compares = createLimitedQueue({ concurrency, maxWaiting, onDone });
  const hashes = createLimitedQueue({ concurrency: 1, maxWaiting: maxHashesWaiting, onDone });
  return {
    compare: (secret, hash) => compares.run(() => bcrypt.compare(secret, hash)),
    hash: (secret) => hashes.run(() => bcrypt.hash(secret, rounds)),
    waiting: () => compares.waiting() + hashes.waiting(),
  };
}

function createLimitedQueue({ concurrency, maxWaiting, onDone }: Required<BcryptQueueOptions>) {
  const semaphore = createSemaphore({ permits: concurrency, maxWaiting, createError: tooManyWait });
  return {
    waiting: semaphore.waiting,
    run: <T>(work: () => Promise<T>): Promise<T> =>
      semaphore.run(async () => {
        const startedAtMs = performance.now();
        try {
          return await work();
        } finally {
          onDone((performance.now() - startedAtMs) / 1_000);
        }
      }),
  };
}

function tooManyWait(): AppError {
  return new AppError('unavailable', 'Too many keys are being checked; try again.', { retryAfterSeconds: 1 });
}
