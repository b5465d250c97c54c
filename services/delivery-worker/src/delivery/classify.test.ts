import type { SendErrorCode, SendResult } from '@tocsin/egress';
import { classify, holdAskedFor, isDestinationTrouble } from './classify.js';
import { defaultRetryPolicy } from './retry-policy.js';

const response = (statusCode: number, retryAfterSeconds?: number): SendResult => ({
  kind: 'response',
  statusCode,
  body: '',
  truncated: false,
  durationMs: 1,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const failure = (code: SendErrorCode): SendResult => ({
  kind: 'error',
  code,
  error: 'A sentence.',
  durationMs: 1,
});
const judge = (result: SendResult, { step = 0, retryOnTimeout = true } = {}) =>
  classify({ result, step, retryOnTimeout, policy: defaultRetryPolicy, random: 0.5 });

test.each([200, 201, 204, 299])('%i is success', (status) => {
  expect(judge(response(status))).toEqual({ kind: 'succeeded' });
});

test.each([300, 301, 302, 304, 400, 401, 403, 404, 409, 410, 413, 422])('%i fails for good', (status) => {
  expect(judge(response(status))).toMatchObject({ kind: 'failed', failure: { code: 'http_status' } });
});

test.each([408, 425, 429, 500, 502, 503, 504, 599])('%i is tried again', (status) => {
  expect(judge(response(status))).toMatchObject({ kind: 'retry', afterMs: 5_000, step: 1 });
});

test('no connection is tried again, a blocked address never is', () => {
  for (const code of [
    'connect_timeout',
    'connection_refused',
    'connection_reset',
    'dns_failure',
    'tls_failure',
  ] as const)
    expect(judge(failure(code)).kind).toBe('retry');
  expect(judge(failure('blocked_address')).kind).toBe('failed');
});

test('a time-out is tried again unless the webhook says otherwise', () => {
  expect(judge(failure('timeout')).kind).toBe('retry');
  expect(judge(failure('timeout'), { retryOnTimeout: false }).kind).toBe('failed');
});

test('the schedule has seven steps, and past the last the delivery has failed', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6].map((step) => judge(response(500), { step }));
  expect(waits.map((verdict) => verdict.kind === 'retry' && verdict.afterMs / 1_000)).toEqual([
    5, 30, 120, 600, 1_800, 3_600, 10_800,
  ]);
  expect(judge(response(500), { step: 7 })).toMatchObject({
    kind: 'failed',
    failure: { code: 'http_status' },
  });
});

test('the later of schedule and Retry-After counts, and an hour at the most', () => {
  expect(judge(response(429, 2))).toMatchObject({ afterMs: 5_000 });
  expect(judge(response(429, 60))).toMatchObject({ afterMs: 60_000 });
  expect(judge(response(503, 86_400))).toMatchObject({ afterMs: 3_600_000 });
});

test('only 429 and 503 hold the whole webhook', () => {
  expect(holdAskedFor(response(429, 7))).toBe(7_000);
  expect(holdAskedFor(response(503, 7_200))).toBe(3_600_000);
  expect([response(500, 7), response(200, 7), response(429), failure('timeout')].map(holdAskedFor)).toEqual(
    Array(4).fill(undefined),
  );
});

test('a refusal of one body is not the destination’s trouble; silence and 5xx are', () => {
  expect(
    [response(200), response(404), response(301), failure('blocked_address')].map(isDestinationTrouble),
  ).toEqual(Array(4).fill(false));
  expect(
    [response(500), response(429), failure('timeout'), failure('dns_failure')].map(isDestinationTrouble),
  ).toEqual(Array(4).fill(true));
});
