import type { SendResult } from '@tocsin/egress';
import type { Failure, Outcome } from './outcome.js';

export interface ClassifyInput {
  result: SendResult;
  /** Number of steps of the retry schedule that are used. */
  step: number;
  retryOnTimeout: boolean;
  policy: RetryPolicy;
  /** Random number from 0 to 1. */
  random: number;
}

/**
 * Returns the outcome of a request. Status 2xx succeeds. Status 408, 425, 429 and 5xx are retried, and other statuses
 * fail. A request without a valid response is retried, except if its address is blocked, or if it timed out and
 * `retryOnTimeout` is false. After the last step of the schedule, a retry becomes a failure.
 */
export function classify(input: ClassifyInput): Outcome {
  const { result } = input;
  if (result.kind === 'response' && result.statusCode >= 200 && result.statusCode <= 299)
    return { kind: 'succeeded' };
  const failure = failureOf(result);
  if (!isRetryable(result, input.retryOnTimeout)) return { kind: 'failed', failure };
  return retryOrFail({ ...input, failure, retryAfterMs: retryAfterMs(result) });
}

/** Returns the error code and the error sentence of an unsuccessful result. */
export function failureOf(result: SendResult): Failure {
  if (result.kind === 'error') return { code: result.code, error: result.error };
  return { code: 'http_status', error: `The destination responded with status ${result.statusCode}.` };
}

function isRetryable(result: SendResult, retryOnTimeout: boolean): boolean {
  return result.kind === 'error'
    ? isRetryableError(result.code, retryOnTimeout)
    : isRetryableStatus(result.statusCode);
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

function isRetryableError(code: Failure['code'], retryOnTimeout: boolean): boolean {
  if (code === 'timeout') return retryOnTimeout;
  return code !== 'blocked_address';
}

/**
 * Returns the pause that a response with status 429 or 503 requests with `Retry-After`, in milliseconds, at most one
 * hour. Returns undefined for every other result.
 */
export function pauseRequestedBy(result: SendResult): number | undefined {
  if (result.kind !== 'response' || (result.statusCode !== 429 && result.statusCode !== 503))
    return undefined;
  return retryAfterMs(result);
}

/**
 * Returns true if the result shows a failure of the whole destination. Such a failure can open the circuit breaker, but
 * the rejection of a single request body cannot.
 */
export function isDestinationFailure(result: SendResult): boolean {
  if (result.kind === 'response') return result.statusCode >= 500 || result.statusCode === 429;
  return result.code !== 'blocked_address' && !isOwnFault(result);
}

/**
 * Returns true if the request failed because of a fault of this worker, such as a lack of sockets. The result then says
 * nothing about the destination.
 */
export function isOwnFault(result: SendResult): boolean {
  return result.kind === 'error' && result.code === 'internal_error';
}

/** Maximum of `Retry-After`, in milliseconds. A longer value counts as one hour. */
const maxRetryAfterMs = 3_600_000;

function retryAfterMs(result: SendResult): number | undefined {
  if (result.kind !== 'response' || result.retryAfterSeconds === undefined) return undefined;
  return Math.min(maxRetryAfterMs, result.retryAfterSeconds * 1_000);
}

export interface RetryPolicy {
  /** Delays before the second attempt, the third attempt and so on, in milliseconds. */
  scheduleMs: readonly number[];
  /** Age at which a delivery expires, in milliseconds. */
  maxAgeMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  scheduleMs: [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000],
  maxAgeMs: 86_400_000,
};

/** Returns the policy with the retry schedule of the webhook, if the webhook has one. */
export function policyFor(
  policy: RetryPolicy,
  options: { retryScheduleMs: readonly number[] | undefined } | undefined,
): RetryPolicy {
  const scheduleMs = options?.retryScheduleMs;
  return scheduleMs === undefined ? policy : { ...policy, scheduleMs };
}

export interface RetryInput {
  /** Number of steps of the schedule that are used. */
  step: number;
  failure: Failure;
  /** Delay that the response requests with `Retry-After`, in milliseconds, at most one hour. */
  retryAfterMs?: number | undefined;
  policy: RetryPolicy;
  /** Random number from 0 to 1. */
  random: number;
}

/** Maximum random change of a delay of the retry schedule, as a fraction of the delay. */
const jitter = 0.2;

/**
 * Returns a retry after the delay of the retry schedule or of `Retry-After`, whichever is longer. Returns a failure if
 * no step of the schedule is left.
 */
export function retryOrFail({ step, failure, retryAfterMs = 0, policy, random }: RetryInput): Outcome {
  const waitMs = policy.scheduleMs[step];
  if (waitMs === undefined) return { kind: 'failed', failure };
  const jitteredMs = waitMs * (1 + jitter * (random * 2 - 1));
  return { kind: 'retry', afterMs: Math.max(jitteredMs, retryAfterMs), step: step + 1, failure };
}
