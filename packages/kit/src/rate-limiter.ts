import { LRUCache } from 'lru-cache';

export interface RateLimiterOptions {
  /** Tokens that come back in a minute; also what one key may use at once. */
  perMinute: number;
  /** Keys remembered; the one idle longest is forgotten first, and would be full again soonest. */
  maxKeys?: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
}

export type RateDecision = { allowed: true } | { allowed: false; retryAfterSeconds: number };

export interface RateLimiter {
  take(key: string): RateDecision;
}

/** A token bucket for each key. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { perMinute, maxKeys = 10_000, now = () => performance.now() } = options;
  const tokensPerMs = perMinute / 60_000;
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: maxKeys });
  return {
    take(key) {
      const at = now();
      const bucket = buckets.get(key) ?? { tokens: perMinute, at };
      const tokens = Math.min(perMinute, bucket.tokens + (at - bucket.at) * tokensPerMs);
      if (tokens >= 1) {
        buckets.set(key, { tokens: tokens - 1, at });
        return { allowed: true };
      }
      buckets.set(key, { tokens, at });
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / tokensPerMs / 1000)) };
    },
  };
}
