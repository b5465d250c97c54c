import type { Webhook } from '@tocsin/client/browser';
import { defaultOptions, fromOptionTexts, toOptionTexts } from './delivery-options.js';

const api = {
  timeout_ms: 2_500,
  retry_schedule_ms: [5_000, 30_000],
  rate_limit: { requests: 10, period_ms: 60_000 },
  idempotency_header: 'Idempotency-Key',
};

test('options become texts in seconds and back', () => {
  const texts = toOptionTexts(api as Webhook);
  expect(texts).toEqual({
    timeoutSeconds: '2.5',
    retrySeconds: '5, 30',
    rateRequests: '10',
    ratePeriodSeconds: '60',
    idempotencyHeader: 'Idempotency-Key',
  });
  expect(fromOptionTexts(texts)).toEqual({ fields: api });
});

test('empty texts are the defaults, and none is no retry', () => {
  const none = { timeout_ms: null, retry_schedule_ms: null, rate_limit: null, idempotency_header: null };
  expect(fromOptionTexts(defaultOptions)).toEqual({ fields: none });
  expect(toOptionTexts(none as Webhook)).toEqual(defaultOptions);
  expect(fromOptionTexts({ ...defaultOptions, retrySeconds: 'none' })).toEqual({
    fields: { ...none, retry_schedule_ms: [] },
  });
});

test.each([
  ['timeoutSeconds', '10s'],
  ['retrySeconds', '5, soon'],
  ['retrySeconds', '5,,30'],
  ['rateRequests', '1.5'],
  ['ratePeriodSeconds', '60'],
] as const)('the text of %s %j is an error at its field', (name, text) => {
  const result = fromOptionTexts({ ...defaultOptions, [name]: text });
  expect('errors' in result && Object.keys(result.errors)).toContain(name);
});
