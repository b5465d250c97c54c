import { unsetOptions } from '../../test/support/deliverer.js';
import {
  optionHeaders,
  pausedMsOf,
  type RequestOptions,
  type SigningKey,
  validKeys,
} from './webhooks-reader.js';

const nowMs = 1_000_000;
const keyOf = (text: string, expiresAtMs: number): SigningKey => ({ key: Buffer.from(text), expiresAtMs });
const optionsOf = (changes: Partial<RequestOptions>): RequestOptions => ({
  ...unsetOptions,
  ...changes,
});

test.each([
  ['before the delivery', [-5_000, -1_001], 0],
  ['since before the delivery', [-5_000, -400], 600],
  ['within the age of the delivery', [-700, -400], 300],
  ['that has not ended', [-300, 9_000], 300],
  ['longer than the delivery', [-5_000, 9_000], 1_000],
  ['in the future', [1, 9_000], 0],
])(
  'a pause %s counts as paused time only for its part within the lifetime of the delivery',
  (_, [from = 0, to = 0], expected) => {
    const options = optionsOf({ manualPauses: [[nowMs + from, nowMs + to]] });
    expect(pausedMsOf(options, { ageMs: 1_000, nowMs })).toBe(expected);
  },
);

test('several manual pauses add up to the paused time of a delivery', () => {
  const manualPauses = [
    [nowMs - 900, nowMs - 800],
    [nowMs - 200, nowMs - 150],
  ] as const;
  expect(pausedMsOf(optionsOf({ manualPauses }), { ageMs: 1_000, nowMs })).toBe(150);
});

test('a signing key is valid until its expiry', () => {
  const keys = [keyOf('a', nowMs), keyOf('b', nowMs + 1), keyOf('c', Number.POSITIVE_INFINITY)];
  expect(validKeys(keys, nowMs).map(String)).toEqual(['b', 'c']);
});

test('a request has one signature for each valid key, and a header with the delivery id', () => {
  const attempt = { deliveryId: 'd', body: '{}', atMs: nowMs };
  expect(optionHeaders(optionsOf({}), attempt)).toEqual([]);
  expect(optionHeaders(optionsOf({ idempotencyHeader: 'X-Id' }), attempt)).toEqual(['X-Id', 'd']);
  const signingKeys = [keyOf('a', nowMs), keyOf('b', nowMs + 1), keyOf('c', nowMs + 1)];
  const headers = optionHeaders(optionsOf({ signingKeys, idempotencyHeader: 'X-Id' }), attempt);
  expect(headers).toEqual([
    ...['webhook-id', 'd', 'webhook-timestamp', '1000'],
    ...['webhook-signature', expect.stringMatching(/^v1,[^ ]+ v1,[^ ]+$/), 'X-Id', 'd'],
  ]);
});

test('a request is signed with expired keys if the last valid key expires while it waits', () => {
  const options = optionsOf({ signingKeys: [keyOf('a', nowMs)] });
  const headers = optionHeaders(options, { deliveryId: 'd', body: '{}', atMs: nowMs });
  expect(headers.at(-1)).toMatch(/^v1,[^ ]+$/);
});
