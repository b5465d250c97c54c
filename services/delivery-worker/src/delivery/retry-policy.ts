import type { Failure, Outcome } from './outcome.js';

export interface RetryPolicy {
  /** Waits before the second attempt, the third and so on, in milliseconds. */
  scheduleMs: readonly number[];
  /** Part of a wait by which it is lengthened or shortened at random, from 0 to 1. */
  jitter: number;
  /** Age at which a delivery expires, in milliseconds. */
  maxAgeMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  scheduleMs: [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000],
  jitter: 0.2,
  maxAgeMs: 86_400_000,
};

/** The policy with the schedule that a webhook asks for, if it asks for one. */
export function policyFor(
  policy: RetryPolicy,
  options: { retryScheduleMs: readonly number[] | undefined } | undefined,
): RetryPolicy {
  const scheduleMs = options?.retryScheduleMs;
  return scheduleMs === undefined ? policy : { ...policy, scheduleMs };
}

export interface RetryInput {
  /** Steps of the schedule that are used up. */
  step: number;
  failure: Failure;
  /** Value of the destination's `Retry-After` in milliseconds, one hour at most. */
  retryAfterMs?: number | undefined;
  policy: RetryPolicy;
  /** Random number from 0 to 1. */
  random: number;
}

/** A retry at the later of the schedule's time and `Retry-After`; failure after the last step. */
export function retryOrFail({ step, failure, retryAfterMs = 0, policy, random }: RetryInput): Outcome {
  const waitMs = policy.scheduleMs[step];
  if (waitMs === undefined) return { kind: 'failed', failure };
  const jitteredMs = waitMs * (1 + policy.jitter * (random * 2 - 1));
  return { kind: 'retry', afterMs: Math.max(jitteredMs, retryAfterMs), step: step + 1, failure };
}
