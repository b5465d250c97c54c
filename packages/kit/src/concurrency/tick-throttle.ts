import { createFairQueue } from './fair-queue.js';

/**
 * Runs a limited number of callbacks in each tick of the event loop. Without this limit, hundreds of callbacks that
 * become due together would run in one tick and delay everything else in the process.
 */
export interface TickThrottle {
  /**
   * Runs the callback in a later tick. Keys are served round robin; callbacks with the same key, or without a key, run
   * in order of arrival.
   */
  schedule(callback: () => void, key?: string): void;
  /** Resolves in the tick in which a callback that is scheduled now would run. */
  wait(key?: string): Promise<void>;
  /** Number of callbacks that wait for a tick. */
  waiting(): number;
}

export function createTickThrottle(perTick: number): TickThrottle {
  const scheduled = createFairQueue<{ key: string; callback: () => void }>(({ key }) => key);
  let isTickRequested = false;

  const requestTick = () => {
    if (isTickRequested || scheduled.size() === 0) return;
    isTickRequested = true;
    setImmediate(() => {
      isTickRequested = false;
      const due = scheduled.take(perTick);
      // The next tick is requested before the callbacks run. An error that a callback throws therefore does not stop
      // the later callbacks.
      requestTick();
      for (const { callback } of due) callback();
    });
  };
  const schedule = (callback: () => void, key = '') => {
    scheduled.add({ key, callback });
    requestTick();
  };
  return {
    schedule,
    wait: (key) => new Promise((resolve) => schedule(resolve, key)),
    waiting: scheduled.size,
  };
}
