import { LRUCache } from 'lru-cache';
import type { RateDecision } from './rate-limiter.js';

export interface TimeBudgetOptions {
  /** Fraction of one thread's time that a key can use in the long run, from 0 to 1. */
  share: number;
  /** Time that a key can use at once before its share limits it, in milliseconds. */
  burstMs: number;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
}

/**
 * Limits the time that the work of each key takes on a shared thread. `run` charges the time of the work after it has
 * run, and never rejects work: callers ask `check` or `waitMs` first. `check` rejects a key whose charged time is above
 * `burstMs`. The charged time of a key falls by `share` milliseconds per millisecond, down to 0.
 */
export interface TimeBudget {
  check(key: string): RateDecision;
  /**
   * Returns the milliseconds until the charged time of the key has fallen to `burstMs`. Returns 0 if the charged time
   * is not above `burstMs`.
   */
  waitMs(key: string): number;
  /** Runs synchronous work and charges the time that it took, even if it throws. */
  run<T>(key: string, work: () => T): T;
}

interface Debt {
  ms: number;
  atMs: number;
}

/** Maximum number of keys in memory. The least recently used key is forgotten first. */
const maxKeys = 10_000;

export function createTimeBudget(options: TimeBudgetOptions): TimeBudget {
  const { share, burstMs, now = () => performance.now() } = options;
  const debts = new LRUCache<string, Debt>({ max: maxKeys });
  const debtOf = (key: string) => {
    const debt = debts.get(key);
    return debt === undefined ? 0 : Math.max(0, debt.ms - (now() - debt.atMs) * share);
  };
  const waitMs = (key: string) => Math.max(0, (debtOf(key) - burstMs) / share);
  const charge = (key: string, ms: number) => debts.set(key, { ms: debtOf(key) + ms, atMs: now() });
  return {
    check(key) {
      const ms = waitMs(key);
      return ms === 0 ? { allowed: true } : { allowed: false, retryAfterSeconds: Math.ceil(ms / 1_000) };
    },
    waitMs,
    run(key, work) {
      const startedAtMs = now();
      try {
        return work();
      } finally {
        charge(key, now() - startedAtMs);
      }
    },
  };
}
