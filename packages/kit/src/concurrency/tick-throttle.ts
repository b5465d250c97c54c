/**
 * Runs a limited number of callbacks in each tick of the event loop, in order of arrival. Hundreds of callbacks that
 * become due together would otherwise run in one tick and delay everything else in the process.
 */
export interface TickThrottle {
  schedule(callback: () => void): void;
  /** Resolves in the tick in which a callback scheduled now would run. */
  wait(): Promise<void>;
}

export function createTickThrottle(perTick: number): TickThrottle {
  const scheduled: (() => void)[] = [];
  let isTickRequested = false;

  const requestTick = () => {
    if (isTickRequested || scheduled.length === 0) return;
    isTickRequested = true;
    setImmediate(() => {
      isTickRequested = false;
      const callbacks = scheduled.splice(0, perTick);
      // Requested first: a callback that throws must not stop the others.
      requestTick();
      for (const callback of callbacks) callback();
    });
  };
  const schedule = (callback: () => void) => {
    scheduled.push(callback);
    requestTick();
  };
  return { schedule, wait: () => new Promise((resolve) => schedule(resolve)) };
}
