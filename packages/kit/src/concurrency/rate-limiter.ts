import { LRUCache } from 'lru-cache';

export interface RateLimiterOptions {
  /** Maximum number of units that one key can use within any 60 s. All of them can be used at once. */
  perMinute: number;
  /** Maximum number of keys in memory; the least recently used key is forgotten first. Default: 10,000. */
  maxKeys?: number;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
}

export type RateDecision = { allowed: true } | { allowed: false; retryAfterSeconds: number };

export interface RateLimiter {
  /** Uses `units` (default: 1) of the limit of `key`. If fewer units are left, the call is rejected and uses none. */
  consume(key: string, units?: number): RateDecision;
  /**
   * Refunds units that a key has used less than a minute ago. The refund is subtracted from the newest step of the
   * window, although the units may have been used in an older step. Until the newest step leaves the window, the key
   * can therefore exceed its limit by the refunded units.
   */
  refund(key: string, units: number): void;
}

/**
 * Resolution of the window, in milliseconds. Used units become available again up to 500 ms late, so a key gets at
 * least 99 % of its limit over time.
 */
const stepMs = 500;
/**
 * Number of steps in the window: 120 steps for one minute, and one more, because the oldest step is only partly outside
 * the window. The 121 counters of a key take about 500 bytes.
 */
const steps = 60_000 / stepMs + 1;

/** Units that one key used in each step, as a ring buffer. */
interface Use {
  counts: Int32Array;
  /** Sum of `counts`: the units used within the window. */
  sum: number;
  /** Number of the newest step. */
  step: number;
}

/**
 * Creates a rate limiter with a sliding window for each key. Fixed windows and token buckets are simpler, but let a key
 * use nearly twice its limit within one minute.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { perMinute, maxKeys = 10_000, now = () => performance.now() } = options;
  const uses = new LRUCache<string, Use>({ max: maxKeys });
  const useOf = (key: string, step: number): Use => {
    const use = uses.get(key) ?? { counts: new Int32Array(steps), sum: 0, step };
    uses.set(key, use);
    advance(use, step);
    return use;
  };
  return {
    consume(key, units = 1) {
      const nowMs = now();
      const use = useOf(key, Math.floor(nowMs / stepMs));
      if (use.sum + units <= perMinute) {
        add(use, units);
        return { allowed: true };
      }
      const freeAtMs = (stepToLeave(use, use.sum + units - perMinute) + steps) * stepMs;
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((freeAtMs - nowMs) / 1_000)) };
    },
    refund: (key, units) => add(useOf(key, Math.floor(now() / stepMs)), -units),
  };
}

function add(use: Use, units: number): void {
  use.counts[use.step % steps]! += units;
  use.sum += units;
}

/** Moves the window forward to `step` and clears the counters of the steps that leave the window. */
function advance(use: Use, step: number): void {
  const firstNew = Math.max(use.step + 1, step - steps + 1);
  for (let next = firstNew; next <= step; next += 1) {
    use.sum -= use.counts[next % steps]!;
    use.counts[next % steps] = 0;
  }
  use.step = step;
}

/**
 * Returns the step to wait for: when it and all older steps have left the window, at least `units` units are available
 * again. Returns the newest step if fewer units than `units` were used in the window.
 */
function stepToLeave({ counts, step }: Use, units: number): number {
  let left = 0;
  for (let past = step - steps + 1; past < step; past += 1) {
    left += counts[past % steps]!;
    if (left >= units) return past;
  }
  return step;
}
