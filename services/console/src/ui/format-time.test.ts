import { formatDuration, formatElapsed, formatRelative } from './format-time.js';

test.each([
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [7_300_000, '2 hours'],
  [86_400_000, '1 day'],
])('an elapsed time of %d ms is formatted as %j, and the time of its start with "ago"', (ms, text) => {
  expect([formatElapsed(ms), formatRelative(-ms)]).toEqual([text, `${text} ago`]);
});

test('a time span of less than 5 s is formatted without a number', () => {
  expect([-1_000, 4_999].map(formatElapsed)).toEqual(['a few seconds', 'a few seconds']);
  expect([-1_000, 3_000].map(formatRelative)).toEqual(['just now', 'in a few seconds']);
});

test('a time in the future is formatted with "in"', () => {
  expect(formatRelative(7_200_000)).toBe('in 2 hours');
});

test('a duration is formatted in the largest unit that fits', () => {
  expect([84.2, 1_240, 2_000, 180_000, 5_400_000].map(formatDuration)).toEqual([
    '84\u00a0ms',
    '1.2\u00a0s',
    '2\u00a0s',
    '3\u00a0min',
    '1.5\u00a0h',
  ]);
});
