import { setTimeout as delay } from 'node:timers/promises';

/** Source of time. `now` is Unix time in milliseconds. */
export interface Clock {
  now(): number;
  /** Rejects with the reason of the signal when that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    await delay(ms, undefined, signal && { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  },
};
