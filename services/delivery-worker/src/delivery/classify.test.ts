import type { SendErrorCode, SendResult } from '@tocsin/egress';
import { response } from '../../test/support/deliverer.js';
import {
  classify,
  defaultRetryPolicy,
  isDestinationFailure,
  isOwnFault,
  pauseRequestedBy,
  policyFor,
  retryOrFail,
} from './classify.js';

const failure = (code: SendErrorCode): SendResult => ({
  kind: 'error',
  code,
  error: 'A sentence.',
  durationMs: 1,
});
const classifyResult = (result: SendResult, { step = 0, retryOnTimeout = true } = {}) =>
  classify({ result, step, retryOnTimeout, policy: defaultRetryPolicy, random: 0.5 });

test.each([200, 201, 204, 299])('a response with status %i ends the delivery with success', (status) => {
  expect(classifyResult(response(status))).toEqual({ kind: 'succeeded' });
});

test.each([300, 301, 302, 304, 399, 400, 401, 403, 404, 407, 409, 410, 413, 422, 424, 426, 428, 430, 499])(
  'a response with status %i fails the delivery without a retry',
  (status) => {
    expect(classifyResult(response(status))).toMatchObject({
      kind: 'failed',
      failure: { code: 'http_status', error: `The destination responded with status ${status}.` },
    });
  },
);

test.each([408, 425, 429, 500, 501, 502, 503, 504, 505, 507, 599])(
  'a response with status %i leads to a retry',
  (status) => {
    expect(classifyResult(response(status))).toMatchObject({ kind: 'retry', afterMs: 5_000, step: 1 });
  },
);

/**
 * Error codes of requests without a valid response, except `timeout`, `blocked_address` and `internal_error`, which are
 * tested separately.
 */
const connectionErrors: SendErrorCode[] = [
  'connect_timeout',
  'connection_refused',
  'connection_reset',
  'dns_failure',
  'tls_failure',
  'invalid_response',
];

test('a connection error is retried, and a request to a blocked address fails without a retry', () => {
  for (const code of connectionErrors)
    expect(classifyResult(failure(code))).toEqual({
      kind: 'retry',
      afterMs: 5_000,
      step: 1,
      failure: { code, error: 'A sentence.' },
    });
  expect(classifyResult(failure('blocked_address')).kind).toBe('failed');
});

test('a request that fails because of a fault of this worker is retried', () => {
  expect(classifyResult(failure('internal_error'))).toMatchObject({
    kind: 'retry',
    failure: { code: 'internal_error' },
  });
});

test('retries on timeout can be turned off, but a connect timeout is retried anyway', () => {
  expect(classifyResult(failure('timeout')).kind).toBe('retry');
  expect(classifyResult(failure('timeout'), { retryOnTimeout: false }).kind).toBe('failed');
  expect(classifyResult(failure('connect_timeout'), { retryOnTimeout: false }).kind).toBe('retry');
});

test('the default schedule has seven retries, and a delivery fails after the last', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6].map((step) => classifyResult(response(500), { step }));
  expect(waits.map((outcome) => outcome.kind === 'retry' && outcome.afterMs / 1_000)).toEqual([
    5, 30, 120, 600, 1_800, 3_600, 10_800,
  ]);
  expect(classifyResult(response(500), { step: 7 })).toMatchObject({
    kind: 'failed',
    failure: { code: 'http_status' },
  });
});

test('a retry waits for its scheduled delay, or for a longer Retry-After of at most one hour', () => {
  expect(classifyResult(response(429, { retryAfterSeconds: 2 }))).toMatchObject({ afterMs: 5_000 });
  expect(classifyResult(response(429, { retryAfterSeconds: 60 }))).toMatchObject({ afterMs: 60_000 });
  expect(classifyResult(response(503, { retryAfterSeconds: 86_400 }))).toMatchObject({ afterMs: 3_600_000 });
});

test.each([408, 425, 500, 599])('Retry-After in a response with status %i delays the retry', (status) => {
  expect(classifyResult(response(status, { retryAfterSeconds: 60 }))).toMatchObject({ afterMs: 60_000 });
});

test('Retry-After leads to no retry after a status that is never retried or after the last step', () => {
  const limited = { retryAfterSeconds: 60 };
  expect(classifyResult(response(400, limited)).kind).toBe('failed');
  expect(classifyResult(response(429, limited), { step: 7 }).kind).toBe('failed');
});

test('Retry-After pauses the webhook only in a response with status 429 or 503', () => {
  expect(pauseRequestedBy(response(429, { retryAfterSeconds: 7 }))).toBe(7_000);
  expect(pauseRequestedBy(response(503, { retryAfterSeconds: 7_200 }))).toBe(3_600_000);
  expect(
    [
      response(500, { retryAfterSeconds: 7 }),
      response(200, { retryAfterSeconds: 7 }),
      response(429),
      failure('timeout'),
    ].map(pauseRequestedBy),
  ).toEqual(Array(4).fill(undefined));
});

test('timeouts, connection errors, invalid responses, 5xx and 429 can open the circuit breaker', () => {
  const codes: SendErrorCode[] = ['timeout', ...connectionErrors];
  const failed = [...codes.map(failure), ...[429, 500, 503, 599].map((status) => response(status))];
  expect(failed.map(isDestinationFailure)).toEqual(failed.map(() => true));
});

test('other statuses, blocked addresses and faults of the worker do not open the circuit breaker', () => {
  const others = [
    failure('blocked_address'),
    failure('internal_error'),
    ...[200, 301, 404, 408, 425, 428, 430, 499].map((status) => response(status)),
  ];
  expect(others.map(isDestinationFailure)).toEqual(others.map(() => false));
  expect(others.map(isOwnFault)).toEqual(others.map((_, index) => index === 1));
});

const tooSlow = { code: 'timeout', error: 'Too slow.' } as const;

function waitMs({
  random,
  retryAfterMs,
  step = 0,
}: {
  random: number;
  retryAfterMs?: number;
  step?: number;
}) {
  const outcome = retryOrFail({
    step,
    failure: tooSlow,
    retryAfterMs,
    policy: defaultRetryPolicy,
    random,
  });
  return outcome.kind === 'retry' ? outcome.afterMs : undefined;
}

test('the jitter changes each delay of the retry schedule by up to 20 %', () => {
  expect([0, 0.25, 0.5, 0.75, 1].map((random) => waitMs({ random }))).toEqual([
    4_000, 4_500, 5_000, 5_500, 6_000,
  ]);
  expect([0, 1].map((random) => waitMs({ random, step: 6 }))).toEqual([8_640_000, 12_960_000]);
});

test('a retry waits for its delay with jitter, or for Retry-After without jitter if it is longer', () => {
  const retryAfterMs = 5_500;
  expect([0, 0.5, 1].map((random) => waitMs({ random, retryAfterMs }))).toEqual([5_500, 5_500, 6_000]);
});

test('a retry uses one step, and a delivery fails with its last failure if no step is left', () => {
  const retry = (step: number) =>
    retryOrFail({
      step,
      failure: tooSlow,
      policy: defaultRetryPolicy,
      random: 0.5,
    });
  expect(retry(6)).toEqual({ kind: 'retry', afterMs: 10_800_000, step: 7, failure: tooSlow });
  expect(retry(7)).toEqual({ kind: 'failed', failure: tooSlow });
});

test('a step of the retry schedule with a delay of zero leads to an immediate retry', () => {
  const policy = { ...defaultRetryPolicy, scheduleMs: [0] };
  const retried = retryOrFail({ step: 0, failure: tooSlow, policy, random: 1 });
  expect(retried).toEqual({ kind: 'retry', afterMs: 0, step: 1, failure: tooSlow });
});

test('the retry schedule of a webhook replaces only the schedule of the retry policy', () => {
  const policy = { scheduleMs: [1_000], maxAgeMs: 60_000 };
  expect(policyFor(policy, { retryScheduleMs: [2_000] })).toEqual({ ...policy, scheduleMs: [2_000] });
  expect(policyFor(policy, { retryScheduleMs: undefined })).toBe(policy);
  expect(policyFor(policy, undefined)).toBe(policy);
});
