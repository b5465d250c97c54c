import { TooManyRequestsError } from '../api/errors.js';
import type { Clock } from '../clock.js';

const maxLimitedMs = 120_000;
const minWaitMs = 1_000;
const maxJitterMs = 1_000;

/**
 * Repeats a request after 429, for up to two minutes. This is safe for every request, because a rate-limited request
 * has no effect. `Retry-After` can be 0, or a time in the past, so each retry waits at least one second. Requests that
 * were limited together are repeated at different times, because each wait is longer by a random time of up to 1 s.
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
      if (!(error instanceof TooManyRequestsError) || clock.now() >= endMs) throw error;
      const waitMs = Math.max(error.retryAfterMs ?? 0, minWaitMs);
      await clock.sleep(waitMs + Math.random() * maxJitterMs, signal);
    }
  }
}
