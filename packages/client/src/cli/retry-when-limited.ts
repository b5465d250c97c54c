import { TooManyRequestsError } from '../api/errors.js';
import type { Clock } from '../clock.js';

const maxLimitedMs = 120_000;
const minWaitMs = 1_000;
const maxJitterMs = 1_000;

/**
 * Repeats a request after 429. A request that is limited more than two minutes after the first call is not repeated.
 * Repeating is safe for every request, because a rate-limited request has no effect. Each wait is the time of `Retry-
 * After`, but at least one second, because `Retry-After` can be 0 or in the past. A random time of up to 1 s is added,
 * so that requests that were limited together are not repeated together.
 */
export async function retryWhenLimited<T>(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  send: () => Promise<T>,
): Promise<T> {
  const endMs = clock.now() + maxLimitedMs;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof TooManyRequestsError)) throw error;
      const waitMs = Math.max(error.retryAfterMs ?? 0, minWaitMs) + Math.random() * maxJitterMs;
      if (clock.now() + waitMs > endMs) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}
