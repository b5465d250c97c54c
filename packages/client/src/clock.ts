/** Source of time. `now` is Unix time in milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds. If the signal is aborted earlier, rejects with the reason of the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of Node and of browsers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, ms);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
