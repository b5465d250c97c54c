import { wrapText } from './wrap-text.js';

// The expected lines are those of Python's `textwrap`.
test.each([
  ['ab-cd', ['ab-', 'cd']],
  ['a-b-c-d', ['a-b-', 'c-d']],
  ['x_-y-zz', ['x_-', 'y-', 'zz']],
  ['ab1-cd-ef', ['ab1-cd-', 'ef']],
  ['a-1-aa', ['a-1-aa']],
  ['a-.-aa', ['a-.-aa']],
])('the word %s is wrapped at the same hyphens as in Python', (word, lines) => {
  const ranges = wrapText(word, { width: 3, breakLongWords: false, breakOnHyphens: true });
  expect(ranges.map(([start, end]) => word.slice(start, end))).toEqual(lines);
});
