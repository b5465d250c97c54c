import { exponentialBackoffMs } from '@tocsin/kit/browser';

export interface RetryState {
  /** Number of requests so far. */
  tries: number;
  maxTries: number;
  /** Delay in `Retry-After` of the last response, in milliseconds. */
  retryAfterMs: number | undefined;
  /** Longest delay in `Retry-After` that a retry waits for, in milliseconds. Default: 60,000. */
  maxRetryAfterMs?: number | undefined;
  /** Random number from 0 to 1, for the jitter. */
  random: number;
}

const backoff = { firstMs: 500, maxMs: Infinity, jitter: 1 };

/**
 * Returns the delay before the next request in milliseconds, or undefined if no further request is sent. With
 * `Retry-After`, the delay is its value; if the value is above `maxRetryAfterMs`, no further request is sent. Without
 * `Retry-After`, the delay is random (full jitter): at most 500 ms at first, and the maximum doubles with each request.
 */
export function nextRetryMs(state: RetryState): number | undefined {
  const { tries, maxTries, retryAfterMs, maxRetryAfterMs = 60_000, random } = state;
  if (tries >= maxTries) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs > maxRetryAfterMs ? undefined : retryAfterMs;
  return exponentialBackoffMs(tries, { ...backoff, random: () => random });
}

/** Reads `Retry-After`, which is seconds or a date (RFC 9110 §10.2.3). Returns undefined for any other text. */
export function parseRetryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const dateMs = /^[A-Z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
