import type { SendResult } from '@tocsin/egress';
import { nextTry, type RetryPolicy } from './retry-policy.js';
import type { Failure, Verdict } from './verdict.js';

export interface ClassifyInput {
  result: SendResult;
  step: number;
  retryOnTimeout: boolean;
  policy: RetryPolicy;
  /** 0 to 1. */
  random: number;
}

/** `Retry-After` counts up to an hour. */
const maxRetryAfterMs = 3_600_000;

/**
 * Decides what an answer means (contract §5): 2xx succeeded; no connection, time-outs, 408, 425, 429 and 5xx are tried
 * again; any other status, a redirect and a blocked address never are.
 */
export function classify({ result, retryOnTimeout, ...retry }: ClassifyInput): Verdict {
  if (result.kind === 'error') {
    const failure: Failure = { code: result.code, error: result.error };
    return isRetryableError(result.code, retryOnTimeout)
      ? nextTry({ ...retry, failure })
      : { kind: 'failed', failure };
  }
  if (result.statusCode >= 200 && result.statusCode <= 299) return { kind: 'succeeded' };
  const failure: Failure = { code: 'http_status', error: `The destination answered ${result.statusCode}.` };
  if (!isRetryableStatus(result.statusCode)) return { kind: 'failed', failure };
  return nextTry({ ...retry, failure, retryAfterMs: retryAfterMs(result) });
}

/** How long the destination asks for the whole webhook to be left alone: 429 and 503 with `Retry-After`. */
export function holdAskedFor(result: SendResult): number | undefined {
  if (result.kind !== 'response' || (result.statusCode !== 429 && result.statusCode !== 503))
    return undefined;
  return retryAfterMs(result);
}

/** Whether the destination itself is in trouble, which is what a circuit counts; a refusal of one body is not. */
export function isDestinationTrouble(result: SendResult): boolean {
  if (result.kind === 'response') return result.statusCode >= 500 || result.statusCode === 429;
  return result.code !== 'blocked_address' && result.code !== 'internal_error';
}

function retryAfterMs(result: SendResult): number | undefined {
  if (result.kind !== 'response' || result.retryAfterSeconds === undefined) return undefined;
  return Math.min(maxRetryAfterMs, result.retryAfterSeconds * 1_000);
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

function isRetryableError(code: Failure['code'], retryOnTimeout: boolean): boolean {
  if (code === 'timeout') return retryOnTimeout;
  return code !== 'blocked_address';
}
