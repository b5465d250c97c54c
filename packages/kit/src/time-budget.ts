import { LRUCache } from 'lru-cache';
import type { RateDecision } from './rate-limiter.js';

export interface TimeBudgetOptions {
  /** Of one thread's time, that a key may take on and on: 0 to 1. */
  share: number;
  /** What it may take at once before that. */
  burstMs: number;
  /** Keys remembered; the one idle longest is forgotten first. */
  maxKeys?: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
}

/**
 * Bounds the time that each key's work takes of the thread that serves everybody. What a piece of work takes is known
 * when it is done: a key whose burst is used up has to wait until its share has paid for it.
 */
export interface TimeBudget {
  state(key: string): RateDecision;
  charge(key: string, ms: number): void;
}

interface Debt {
  ms: number;
  atMs: number;
}

export function createTimeBudget(options: TimeBudgetOptions): TimeBudget {
  const { share, burstMs, maxKeys = 10_000, now = () => performance.now() } = options;
  const debts = new LRUCache<string, Debt>({ max: maxKeys });
  const debtOf = (key: string) => {
    const debt = debts.get(key);
    return debt === undefined ? 0 : Math.max(0, debt.ms - (now() - debt.atMs) * share);
  };
  return {
    state(key) {
      const beyondMs = debtOf(key) - burstMs;
      if (beyondMs < 0) return { allowed: true };
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(beyondMs / share / 1_000)) };
    },
    charge(key, ms) {
      debts.set(key, { ms: debtOf(key) + ms, atMs: now() });
    },
  };
}
