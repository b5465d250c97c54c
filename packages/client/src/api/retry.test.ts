import { nextRetryMs, parseRetryAfterMs } from './retry.js';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['0', 0],
  ['7', 7_000],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  ['9'.repeat(400), undefined],
  [null, undefined],
])('for the Retry-After value %j, parseRetryAfterMs returns %s', (value, expected) => {
  expect(parseRetryAfterMs(value, now)).toBe(expected);
});

test.each([
  [{ tries: 1, maxTries: 4, retryAfterMs: undefined, random: 1 }, 500],
  [{ tries: 3, maxTries: 4, retryAfterMs: undefined, random: 0.5 }, 1_000],
  [{ tries: 1, maxTries: 4, retryAfterMs: 3_000, random: 1 }, 3_000],
  [{ tries: 4, maxTries: 4, retryAfterMs: 3_000, random: 1 }, undefined],
  [{ tries: 1, maxTries: 4, retryAfterMs: 60_001, random: 1 }, undefined],
  [{ tries: 1, maxTries: 4, retryAfterMs: 2_000, maxRetryAfterMs: 2_000, random: 1 }, 2_000],
  [{ tries: 1, maxTries: 4, retryAfterMs: 3_000, maxRetryAfterMs: 2_000, random: 1 }, undefined],
])('for the state %o, nextRetryMs returns %s', (state, expected) => {
  expect(nextRetryMs(state)).toBe(expected);
});
