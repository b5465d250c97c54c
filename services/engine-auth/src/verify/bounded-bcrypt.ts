import { availableParallelism } from 'node:os';
import { AppError } from '@tocsin/kit';
import bcrypt from 'bcrypt';

export interface BoundedBcrypt {
  compare(secret: string, hash: string): Promise<boolean>;
  hash(secret: string): Promise<string>;
  /** @throws AppError `unavailable` when too much waits already: before work is done that would lead to one more. */
  assertRoom(): void;
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

/**
 * bcrypt with a bound on what runs at once and a bound on what waits: about three seconds' work.
 * @throws AppError `unavailable` when too much waits already.
 */
export function createBoundedBcrypt(options: BoundedBcryptOptions = {}): BoundedBcrypt {
  const { concurrency = coresToUse, maxWaiting = 100 * concurrency, onDone } = options;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (running >= concurrency) await turn();
    else running += 1;
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      onDone?.((performance.now() - startedAt) / 1_000);
      // The place is handed on as it is, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  function assertRoom(): void {
    if (running < concurrency || waiting.length < maxWaiting) return;
    throw new AppError('unavailable', 'Too many keys are being checked; try again.', {
      retryAfterSeconds: 1,
    });
  }

  function turn(): Promise<void> {
    assertRoom();
    return new Promise((resolve) => waiting.push(resolve));
  }

  return {
    compare: (secret, hash) => bounded(() => bcrypt.compare(secret, hash)),
    hash: (secret) => bounded(() => bcrypt.hash(secret, rounds)),
    assertRoom,
    waiting: () => waiting.length,
  };
}
