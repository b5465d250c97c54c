import fc from 'fast-check';
import { precisePower } from './power.js';

test.each([
  [8, 0.2, 1.5157165665103982],
  [10, 3.5, 3162.2776601683795],
  [839630.4383893138, 0.5, 916.3135044237391],
  [2, -2, 0.25],
  [10, 22, 1e22],
  [10, -5, 1e-5],
  [1.1, 10, 2.5937424601000023],
])('precisePower(%d, %d) is %d', (base, exponent, expected) => {
  expect(precisePower(base, exponent)).toBe(expected);
});

test("the results of precisePower and of JavaScript's ** differ by less than 1e-14 of the value", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      fc.double({ min: -20, max: 20, noNaN: true }),
      (base, exponent) => {
        const approximation = base ** exponent;
        expect(Math.abs(precisePower(base, exponent) / approximation - 1)).toBeLessThan(1e-14);
      },
    ),
  );
});
