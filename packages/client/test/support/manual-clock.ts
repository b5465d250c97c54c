import type { Clock } from '../../src/clock.js';

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Durations of all sleeps in milliseconds, oldest first. */
  readonly sleeps: number[];
}

/**
 * Creates a clock whose time changes only through `advance` and `sleep`. `sleep` runs `whileSleeping`, advances the
 * clock by its own duration and resolves at once.
 */
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
