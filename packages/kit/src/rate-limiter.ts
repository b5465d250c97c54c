import { LRUCache } from 'lru-cache';

export interface RateLimiterOptions {
  /** What one key may use in any minute, at once if it likes. */
  perMinute: number;
  /** Keys remembered; the one idle longest is forgotten first. */
  maxKeys?: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
}

export type RateDecision = { allowed: true } | { allowed: false; retryAfterSeconds: number };

export interface RateLimiter {
  take(key: string): RateDecision;
}

/** What is used comes back so much late at most: a key has 99 % of its limit in the long run, and costs 500 bytes. */
const stepMs = 500;
/** A minute, and the step that has only begun to leave it. */
const steps = 60_000 / stepMs + 1;

/** What a key has used, by step of time; a step's place is taken again by the one that comes `steps` later. */
interface Use {
  counts: Uint32Array;
  /** Of the counts. */
  sum: number;
  step: number;
}

/**
 * A sliding window for each key. A token bucket would be simpler, but gives what comes back during the first minute on
 * top of what was there: nearly twice the limit.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { perMinute, maxKeys = 10_000, now = () => performance.now() } = options;
  const uses = new LRUCache<string, Use>({ max: maxKeys });
  return {
    take(key) {
      const nowMs = now();
      const step = Math.floor(nowMs / stepMs);
      const use = uses.get(key) ?? { counts: new Uint32Array(steps), sum: 0, step };
      uses.set(key, use);
      forget(use, step);
      if (use.sum < perMinute) {
        use.counts[step % steps]! += 1;
        use.sum += 1;
        return { allowed: true };
      }
      const freeAtMs = (oldestStep(use) + steps) * stepMs;
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((freeAtMs - nowMs) / 1_000)) };
    },
  };
}

function forget(use: Use, step: number): void {
  const firstNew = Math.max(use.step + 1, step - steps + 1);
  for (let next = firstNew; next <= step; next += 1) {
    use.sum -= use.counts[next % steps]!;
    use.counts[next % steps] = 0;
  }
  use.step = step;
}

function oldestStep({ counts, step }: Use): number {
  for (let past = step - steps + 1; past < step; past += 1) if (counts[past % steps]! > 0) return past;
  return step;
}
