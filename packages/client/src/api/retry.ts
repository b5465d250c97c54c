export interface RetryState {
  /** Tries made so far. */
  tries: number;
  maxTries: number;
  /** Of the last answer. */
  retryAfterMs: number | undefined;
  /** 0 to 1. */
  random: number;
}

const firstDelayMs = 250;
const longestWaitMs = 60_000;

/**
 * How long to wait before the next try; undefined to give up. What the server asks for is obeyed, unless it is more
 * than a minute, which is the caller's to decide; else it doubles from a quarter of a second, with full jitter.
 */
export function nextRetryMs({ tries, maxTries, retryAfterMs, random }: RetryState): number | undefined {
  if (tries >= maxTries) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs > longestWaitMs ? undefined : retryAfterMs;
  return random * firstDelayMs * 2 ** tries;
}

/** `Retry-After` as seconds or as a date (RFC 9110 §10.2.3); undefined for anything else. */
export function parseRetryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const dateMs = /^[A-Z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
