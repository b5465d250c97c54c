/**
 * Limits the log lines of an event that can occur thousands of times a second. The first occurrence is logged at once,
 * later ones at most once in `everyMs` milliseconds. `log` gets the number of occurrences since the previous line.
 */
export function createLogThrottle({ everyMs, now = () => performance.now() }: LogThrottleOptions) {
  let count = 0;
  let nextMs = Number.NEGATIVE_INFINITY;
  return (log: (count: number) => void): void => {
    count += 1;
    if (now() < nextMs) return;
    nextMs = now() + everyMs;
    log(count);
    count = 0;
  };
}

interface LogThrottleOptions {
  everyMs: number;
  /** Monotonic clock in milliseconds. */
  now?: () => number;
}
