import type { StoredWebhook, WebhookOptions } from './stored-webhook.js';
import {
  changeOptions,
  errorsOfGivenOptions,
  noOptions,
  noOptionsAndHeaders,
  optionErrors,
  presentOptions,
  toOptionRow,
} from './webhook-options.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const dayMs = 86_400_000;
const ahead = (ms: number) => new Date(now.getTime() + ms);
const all: WebhookOptions = {
  retryScheduleMs: [1_000, 2_000],
  timeoutMs: 5_000,
  rateLimit: { requests: 10, period_ms: 1_000 },
  signing: true,
  idempotencyHeader: 'X-Id',
  pausedUntil: now,
};
const removed = {
  retry_schedule_ms: null,
  timeout_ms: null,
  rate_limit: null,
  signing: false,
  idempotency_header: null,
  paused_until: null,
};

const pathsOf = (options: Partial<WebhookOptions>, headerNames: string[] = []) =>
  optionErrors({ ...noOptions, ...options }, { headerNames, now }).map(({ path }) => path);

test('a missing field keeps its option, null removes it, and a value replaces it', () => {
  expect(changeOptions(all, {})).toEqual(all);
  expect(changeOptions(all, removed)).toEqual(noOptions);
  const fields = {
    retry_schedule_ms: [3_000],
    timeout_ms: 1_000,
    rate_limit: { requests: 1, period_ms: 60_000 },
    signing: true,
    idempotency_header: 'X-Other',
    paused_until: '2026-03-02T00:00:00+01:00',
  };
  expect(changeOptions(noOptions, fields)).toEqual({
    retryScheduleMs: [3_000],
    timeoutMs: 1_000,
    rateLimit: { requests: 1, period_ms: 60_000 },
    signing: true,
    idempotencyHeader: 'X-Other',
    pausedUntil: new Date('2026-03-01T23:00:00Z'),
  });
});

test('the options of a webhook have their API names in responses and their column names in rows', () => {
  const webhook = { ...all, disabledReason: 'r' } as StoredWebhook;
  expect(presentOptions(webhook)).toEqual({
    retry_schedule_ms: [1_000, 2_000],
    timeout_ms: 5_000,
    rate_limit: { requests: 10, period_ms: 1_000 },
    signing: true,
    idempotency_header: 'X-Id',
    paused_until: now.toISOString(),
    disabled_reason: 'r',
  });
  expect(toOptionRow(webhook)).toEqual({
    retry_schedule_ms: [1_000, 2_000],
    timeout_ms: 5_000,
    rate_limit_requests: 10,
    rate_limit_period_ms: 1_000,
    signing: true,
    idempotency_header: 'X-Id',
    paused_until: now,
    disabled_reason: 'r',
  });
  const none = { ...noOptions, disabledReason: null } as StoredWebhook;
  expect(presentOptions(none)).toEqual({ ...removed, disabled_reason: null });
  expect(toOptionRow(none)).toMatchObject({ rate_limit_requests: null, rate_limit_period_ms: null });
});

test('a retry schedule that adds up to 24 hours or more is rejected', () => {
  expect(pathsOf({ retryScheduleMs: [dayMs / 2, dayMs / 2 - 1] })).toEqual([]);
  const errors = optionErrors(
    { ...noOptions, retryScheduleMs: [dayMs / 2, dayMs / 2] },
    { headerNames: [], now },
  );
  expect(errors).toEqual([{ path: '/retry_schedule_ms', message: 'must add up to less than 24 hours' }]);
});

test('a pause that ends in more than seven days is rejected', () => {
  expect(pathsOf({ pausedUntil: ahead(7 * dayMs) })).toEqual([]);
  expect(pathsOf({ pausedUntil: ahead(-dayMs) })).toEqual([]);
  const errors = optionErrors({ ...noOptions, pausedUntil: ahead(7 * dayMs + 1) }, { headerNames: [], now });
  expect(errors).toEqual([{ path: '/paused_until', message: 'must be at most 7 days ahead' }]);
});

test('an idempotency header that is not among the configured headers is accepted', () => {
  const options = { ...noOptions, idempotencyHeader: 'X-Delivery' };
  for (const headerNames of [[], ['x-other']])
    expect(optionErrors(options, { headerNames, now })).toEqual([]);
});

test.each([
  ['X-Delivery', ['x-other', 'x-delivery'], 'must not be one of the configured headers'],
  ['Webhook-Id', [], 'must not be a header of the signature'],
  ['webhook-signature', [], 'must not be a header of the signature'],
  ['Content-Length', [], expect.any(String)],
  ['a b', [], expect.any(String)],
])(
  'the idempotency header %s with the configured headers %j causes the error %s',
  (idempotencyHeader, headerNames, message) => {
    const errors = optionErrors({ ...noOptions, idempotencyHeader }, { headerNames, now });
    expect(errors).toEqual([{ path: '/idempotency_header', message }]);
  },
);

test('a webhook that signs its requests cannot configure a signature header itself', () => {
  const headerNames = ['X-A', 'Webhook-Id', 'webhook-timestamp'];
  expect(pathsOf({ signing: false }, headerNames)).toEqual([]);
  const errors = optionErrors({ ...noOptions, signing: true }, { headerNames, now });
  expect(errors).toEqual(
    ['Webhook-Id', 'webhook-timestamp'].map((name) => ({
      path: `/headers/${name}`,
      message: 'must not be set: the signature sets it',
    })),
  );
});

describe('options in a body that its schema has rejected', () => {
  const wrong = {
    retry_schedule_ms: [dayMs],
    signing: true,
    idempotency_header: 'webhook-id',
    paused_until: ahead(8 * dayMs).toISOString(),
    headers: { 'webhook-id': ['a'] },
  };
  const paths = ['/retry_schedule_ms', '/paused_until', '/idempotency_header', '/headers/webhook-id'];
  const pathsOfGiven = (given: object, before = noOptionsAndHeaders) =>
    errorsOfGivenOptions(before, { ...given }, now).map(({ path }) => path);

  test('options of the right type are checked even if the schema rejects the body', () => {
    expect(pathsOfGiven(wrong)).toEqual(paths);
  });

  test.each([
    ['retry_schedule_ms', '1', '/retry_schedule_ms'],
    ['retry_schedule_ms', [dayMs, 'x'], '/retry_schedule_ms'],
    ['retry_schedule_ms', [dayMs, '0'], '/retry_schedule_ms'],
    ['signing', 'yes', '/headers/webhook-id'],
    ['idempotency_header', 7, '/idempotency_header'],
    ['paused_until', 7, '/paused_until'],
    ['paused_until', 8e15, '/paused_until'],
    ['headers', null, '/headers/webhook-id'],
    ['headers', 'x', '/headers/webhook-id'],
  ])(
    'only the schema reports an invalid %s (%j), and the other options are still checked',
    (name, value, path) => {
      expect(pathsOfGiven({ ...wrong, [name]: value })).toEqual(paths.filter((other) => other !== path));
    },
  );

  test('checks use the stored webhook for options that the request does not contain', () => {
    const before = { ...all, idempotencyHeader: null, headerNames: ['webhook-id'] };
    expect(pathsOfGiven({ timeout_ms: 'x' }, before)).toEqual(['/headers/webhook-id']);
    expect(pathsOfGiven({ headers: {} }, before)).toEqual([]);
    expect(pathsOfGiven({ timeout_ms: 'x' })).toEqual([]);
  });
});
