import { Budget, defaultLimits } from '../budget.js';
import type { Rendering } from '../rendering.js';
import { binary } from './arithmetic.js';

test.each([
  ['1 / 10 ** 300', 1n, 10n ** 300n, 1e-300],
  ['-7 / 10 ** 305', -7n, 10n ** 305n, -7e-305],
  ['3 / 10 ** 310', 3n, 10n ** 310n, 3e-310],
  ['1 / 10 ** 400', 1n, 10n ** 400n, 0],
  ['10 ** 300 / 10 ** 310', 10n ** 300n, 10n ** 310n, 1e-10],
  ['(10 ** 320 + 1) / 10 ** 315', 10n ** 320n + 1n, 10n ** 315n, 100_000],
  ['(2 ** 60 + 1) / 3', 2n ** 60n + 1n, 3n, 3.843071682022823e17],
])('the quotient %s of integers is the same as in Python', (_, left, right, expected) => {
  const rendering = { budget: new Budget(defaultLimits, () => 0) } as Rendering;
  expect(binary('/', left, right, rendering)).toBe(expected);
});
