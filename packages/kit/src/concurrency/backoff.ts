import { sleep } from './timeout.js';

export interface BackoffOptions {
  /** Delay after the first failure, in milliseconds; it doubles with each further failure. */
  firstMs: number;
  /** Longest delay, in milliseconds. */
  maxMs: number;
  /**
   * Fraction of the delay that is random, from 0 to 1, so that callers do not all retry at the same time. Default: 0.5.
   */
  jitter?: number;
  /** Returns a random number from 0 to 1. Default: `Math.random`. */
  random?: () => number;
}

/** Returns the delay in milliseconds after the n-th failure in a row (`failures` is 1 or more). */
export function exponentialBackoffMs(failures: number, options: BackoffOptions): number {
  const { firstMs, maxMs, jitter = 0.5, random = Math.random } = options;
  return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (1 - jitter + jitter * random());
}

export interface RetryOptions {
  /** Returns true to run the work again, false to throw the error. `failures` is 1 for the first failure. */
  shouldRetry: (error: unknown, failures: number) => boolean;
  /** Delay in milliseconds after the n-th failure; 0 retries at once. */
  backoff: (failures: number, error: unknown) => number;
  /** After an abort, no retry starts, and the last error is thrown. Work in progress is not interrupted. */
  signal?: AbortSignal;
  /** Called before the delay of each retry. */
  onRetry?: (error: unknown) => void;
}

/**
 * Runs `work` again after each failure until it succeeds, `shouldRetry` returns false, or the signal is aborted. `work`
 * must be safe to repeat.
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { shouldRetry, backoff, signal, onRetry } = options;
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || !shouldRetry(error, failures)) throw error;
      onRetry?.(error);
      const delayMs = backoff(failures, error);
      if (delayMs > 0) await sleep(delayMs, signal);
      if (signal?.aborted) throw error;
    }
  }
}
