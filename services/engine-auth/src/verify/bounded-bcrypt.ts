import { availableParallelism } from 'node:os';
import { AppError } from '@tocsin/kit';
import bcrypt from 'bcrypt';

export interface BoundedBcrypt {
  compare(secret: string, hash: string): Promise<boolean>;
  /** Has a place of its own: keys can be made while many are checked. */
  hash(secret: string): Promise<string>;
  /** How many wait for a place. */
  waiting(): number;
}

export interface BoundedBcryptOptions {
  concurrency?: number;
  maxWaiting?: number;
  /** Told how long each bcrypt took, without its wait. */
  onDone?: (seconds: number) => void;
}

/** The customer's "Key hash cost": about 30 ms of one core. */
const rounds = 9;

/** One core is left to those whose keys are known; libuv's pool of four threads serves DNS and files too. */
const coresToUse = Math.max(1, Math.min(2, availableParallelism() - 1));

const maxHashesWaiting = 20;

/**
 * bcrypt with a bound on what runs at once and a bound on what waits: about three seconds' work.
 * @throws AppError `unavailable` when too much waits already.
 */
export function createBoundedBcrypt(options: BoundedBcryptOptions = {}): BoundedBcrypt {
  const { concurrency = coresToUse, maxWaiting = 100 * concurrency, onDone = () => {} } = options;
  const compares = createLane({ concurrency, maxWaiting, onDone });
  const hashes = createLane({ concurrency: 1, maxWaiting: maxHashesWaiting, onDone });
  return {
    compare: (secret, hash) => compares.run(() => bcrypt.compare(secret, hash)),
    hash: (secret) => hashes.run(() => bcrypt.hash(secret, rounds)),
    waiting: () => compares.waiting() + hashes.waiting(),
  };
}

function createLane({ concurrency, maxWaiting, onDone }: Required<BoundedBcryptOptions>) {
  const waiting: (() => void)[] = [];
  let running = 0;

  function turn(): Promise<void> {
    if (waiting.length >= maxWaiting)
      throw new AppError('unavailable', 'Too many keys are being checked; try again.', {
        retryAfterSeconds: 1,
      });
    return new Promise((resolve) => waiting.push(resolve));
  }

  return {
    waiting: () => waiting.length,
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (running >= concurrency) await turn();
      else running += 1;
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        onDone((performance.now() - startedAt) / 1_000);
        // The place is handed on as it is, so that nobody slips in between.
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
