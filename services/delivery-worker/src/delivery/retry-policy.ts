import type { Failure, Verdict } from './verdict.js';

export interface RetryPolicy {
  /** Waits before the second attempt, the third and so on, in milliseconds. */
  scheduleMs: readonly number[];
  /** Each wait is longer or shorter by up to this share. */
  jitter: number;
  /** A delivery that is older has expired. */
  maxAgeMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  scheduleMs: [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000],
  jitter: 0.2,
  maxAgeMs: 86_400_000,
};

export interface RetryInput {
  /** Steps of the schedule used up so far. */
  step: number;
  failure: Failure;
  /** The destination's own wish, already bounded. */
  retryAfterMs?: number | undefined;
  policy: RetryPolicy;
  /** 0 to 1. */
  random: number;
}

/** The next attempt is the later of the schedule and the destination's wish; past the last step the delivery has failed. */
export function nextTry({ step, failure, retryAfterMs = 0, policy, random }: RetryInput): Verdict {
  const waitMs = policy.scheduleMs[step];
  if (waitMs === undefined) return { kind: 'failed', failure };
  const jittered = waitMs * (1 + policy.jitter * (random * 2 - 1));
  return { kind: 'retry', afterMs: Math.max(jittered, retryAfterMs), step: step + 1, failure };
}
