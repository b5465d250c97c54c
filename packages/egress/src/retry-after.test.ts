import { parseRetryAfter } from './retry-after.js';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['0', 0],
  ['120', 120],
  [' 5 ', 5],
  ['Sun, 01 Mar 2026 12:01:30 GMT', 90],
  ['Sunday, 01-Mar-26 12:01:30 GMT', 90],
  ['Sun Mar  1 12:01:30 2026', 90],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['99999999999999999999999999', Number.MAX_SAFE_INTEGER],
])('"%s" is %d seconds', (value, seconds) => {
  expect(parseRetryAfter(value, now)).toBe(seconds);
});

test('part of a second counts as a whole one, so that nothing is sent too early', () => {
  expect(parseRetryAfter('Sun, 01 Mar 2026 12:00:01 GMT', now + 1)).toBe(1);
});

test.each([
  '',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  'soon',
  '2026-03-01T12:00:00Z',
  'Sun, 99 Zzz 2026 99:99:99 GMT',
  '5 s',
])('"%s" says nothing', (value) => {
  expect(parseRetryAfter(value, now)).toBeUndefined();
});
