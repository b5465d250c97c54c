import { withTimeout } from './concurrency/timeout.js';

/** What has been opened, so that it can be closed: last opened, first closed. */
export interface Lifetime {
  /** `close` gets the milliseconds that are left until the deadline. */
  add(name: string, close: (remainingMs: number) => Promise<unknown>): void;
  /**
   * Closes everything, each part once, also when a part fails to close.
   * @throws AggregateError naming the parts that failed or were still closing at the deadline.
   */
  close(deadlineMs: number): Promise<void>;
}

export function createLifetime(): Lifetime {
  const parts: { name: string; close: (remainingMs: number) => Promise<unknown> }[] = [];
  return {
    add(name, close) {
      parts.push({ name, close });
    },
    async close(deadlineMs) {
      const endsAt = performance.now() + deadlineMs;
      const failures: Error[] = [];
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
        const { name, close } = part;
        try {
          const remainingMs = Math.max(0, endsAt - performance.now());
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

// A part past the deadline is still asked to close, and given this long to do what cutting needs.
const graceMs = 250;
