import { toAsciiDigits } from './integers.js';

test('digits of other scripts have the same value each time they are read', () => {
  const text = '٣\u{1d7ce}\u{1d7d9}\u{1d7ff}９a';
  expect([toAsciiDigits(text), toAsciiDigits(text)]).toEqual(['30199a', '30199a']);
});
