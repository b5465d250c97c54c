import type { Webhook } from '@tocsin/client/browser';
import { defaultOptions, describeOptions, fromOptionTexts, toOptionTexts } from './delivery-options.js';

const api = {
  timeout_ms: 2_500,
  retry_schedule_ms: [5_000, 30_000],
  rate_limit: { requests: 10, period_ms: 60_000 },
  idempotency_header: 'Idempotency-Key',
  external_id: 'risk/chat',
};

const none = {
  timeout_ms: null,
  retry_schedule_ms: null,
  rate_limit: null,
  idempotency_header: null,
  external_id: null,
};

test('webhook options are converted to field texts, with times in seconds, and back without loss', () => {
  const texts = toOptionTexts(api as Webhook);
  expect(texts).toEqual({
    timeoutSeconds: '2.5',
    retrySeconds: '5, 30',
    rateRequests: '10',
    ratePeriodSeconds: '60',
    idempotencyHeader: 'Idempotency-Key',
    externalId: 'risk/chat',
  });
  expect(fromOptionTexts(texts)).toEqual({ fields: api });
});

test('an empty option field stands for the default, and `none` in the retry field for no retries', () => {
  expect(fromOptionTexts(defaultOptions)).toEqual({ fields: none });
  expect(toOptionTexts(none as Webhook)).toEqual(defaultOptions);
  expect(fromOptionTexts({ ...defaultOptions, retrySeconds: 'none' })).toEqual({
    fields: { ...none, retry_schedule_ms: [] },
  });
});

test('describeOptions returns labels and values of options, and leaves out default values', () => {
  expect(describeOptions(api as Webhook)).toEqual([
    ['Timeout', '2.5\u00a0s'],
    ['Retries', 'after 5\u00a0s, 30\u00a0s'],
    ['Rate limit', '10 requests in 60\u00a0s'],
    ['Delivery id in', 'Idempotency-Key'],
    ['External id', 'risk/chat'],
  ]);
  expect(describeOptions(none as Webhook)).toEqual([]);
  expect(describeOptions({ ...none, retry_schedule_ms: [] } as unknown as Webhook)).toEqual([
    ['Retries', 'none'],
  ]);
});

test('describeOptions shows configured times in seconds, without rounding them', () => {
  const webhook = { ...none, timeout_ms: 12_500, retry_schedule_ms: [100_000, 43_200_000] };
  expect(describeOptions(webhook as unknown as Webhook)).toEqual([
    ['Timeout', '12.5\u00a0s'],
    ['Retries', 'after 100\u00a0s, 43,200\u00a0s'],
  ]);
});

test.each([
  ['timeoutSeconds', '10s'],
  ['timeoutSeconds', '0'],
  ['timeoutSeconds', '20.001'],
  ['retrySeconds', '5, soon'],
  ['retrySeconds', '5,,30'],
  ['retrySeconds', '43200, 43200'],
  ['retrySeconds', '1,1,1,1,1,1,1,1,1,1,1'],
  ['rateRequests', '1.5'],
  ['rateRequests', '1001'],
  ['ratePeriodSeconds', '60'],
] as const)('the option field %s with the text %j has an error', (name, text) => {
  const result = fromOptionTexts({ ...defaultOptions, [name]: text });
  expect('errors' in result && Object.keys(result.errors)).toContain(name);
});
