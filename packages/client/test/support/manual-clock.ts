import type { Clock } from '../../src/clock.js';

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** How long each sleep was, in order. */
  readonly sleeps: number[];
}

/** A clock that stands still; sleeping moves it on at once, after `whileSleeping` has run. */
export function createManualClock(
  options: { startMs?: number; whileSleeping?: (count: number) => Promise<void> | void } = {},
): ManualClock {
  let nowMs = options.startMs ?? Date.now();
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      sleeps.push(ms);
      await options.whileSleeping?.(sleeps.length);
      nowMs += ms;
      signal?.throwIfAborted();
    },
  };
}
