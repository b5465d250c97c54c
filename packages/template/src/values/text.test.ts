import { takeCodePoints } from './text.js';

test.each([
  ['abc', 2, 'ab'],
  ['abc', 3, 'abc'],
  ['😀😀😀', 2, '😀😀'],
  ['a😀b😀', 3, 'a😀b'],
  ['\ud83da😀', 2, '\ud83da'],
  ['😀', 0, ''],
])('the first code points of %j, at most %d, are %j', (text, count, expected) => {
  expect(takeCodePoints(text, count)).toBe(expected);
});
