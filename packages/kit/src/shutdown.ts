import { setMaxListeners } from 'node:events';
import { withTimeout } from './concurrency/timeout.js';

/** Owns the connections, servers and timers of a service and closes them in reverse order of opening. */
export interface Shutdown {
  /** Signal that is aborted when `close` is called, before anything is closed. */
  readonly signal: AbortSignal;
  /**
   * Registers a resource. At the shutdown, its `close` is called with the milliseconds that are left until the
   * deadline.
   */
  add(name: string, close: (remainingMs: number) => Promise<unknown>): void;
  /** Calls `task` at an interval until the shutdown. The timer does not keep the process alive. */
  addInterval(task: () => void, everyMs: number): void;
  /**
   * Closes each resource once, even if others fail to close.
   * @throws AggregateError that names each resource whose `close` failed, or took 250 ms longer than the time that was
   *   left until the deadline
   */
  close(deadlineMs: number): Promise<void>;
}

/**
 * Time in milliseconds after the deadline that a resource has to cut its connections. A resource that needs longer is
 * reported as not closed cleanly.
 */
const graceMs = 250;

export function createShutdown(): Shutdown {
  const resources: { name: string; close: (remainingMs: number) => Promise<unknown> }[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each loop and interval of a service adds a listener to this signal, and by default Node warns of a leak above ten
  // listeners. The limit is therefore switched off.
  setMaxListeners(0, signal);
  return {
    signal,
    add(name, close) {
      resources.push({ name, close });
    },
    addInterval(task, everyMs) {
      const timer = setInterval(task, everyMs).unref();
      signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    },
    async close(deadlineMs) {
      stopping.abort();
      const endsAtMs = performance.now() + deadlineMs;
      const failures: Error[] = [];
      for (let resource = resources.pop(); resource !== undefined; resource = resources.pop()) {
        const { name, close } = resource;
        try {
          const remainingMs = Math.max(0, endsAtMs - performance.now());
          await withTimeout(close(remainingMs), { timeoutMs: remainingMs + graceMs });
        } catch (cause) {
          failures.push(new Error(`${name} did not close cleanly`, { cause }));
        }
      }
      if (failures.length > 0)
        throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
    },
  };
}
