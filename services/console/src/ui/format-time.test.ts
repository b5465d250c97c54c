import { formatDuration, formatElapsed, formatRelative } from './format-time.js';

test.each([
  [-1_000, 'just now'],
  [3_000, 'in a few seconds'],
  [-59_999, '59 seconds ago'],
  [-60_000, '1 minute ago'],
  [7_200_000, 'in 2 hours'],
  [-86_400_000, '1 day ago'],
])('a difference of %d ms is formatted as %j', (differenceMs, text) => {
  expect(formatRelative(differenceMs)).toBe(text);
});

test.each([
  [-1_000, 'a few seconds'],
  [4_999, 'a few seconds'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [7_300_000, '2 hours'],
  [86_400_000, '1 day'],
])('an elapsed time of %d ms is formatted as %j', (elapsedMs, text) => {
  expect(formatElapsed(elapsedMs)).toBe(text);
});

test.each([
  [84.2, '84\u00a0ms'],
  [1_240, '1.2\u00a0s'],
  [2_000, '2\u00a0s'],
  [180_000, '3\u00a0min'],
  [5_400_000, '1.5\u00a0h'],
])('a duration of %d ms is formatted as %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
