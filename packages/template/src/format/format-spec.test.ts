import { compileTemplate } from '../index.js';

// The expected results are those of Python 3.11.
test.each([
  ["{{ '{:z.1f}'.format(-0.01) }}", '0.0'],
  ["{{ '{:z.1f}'.format(-0.06) }}", '-0.1'],
  ["{{ '{:+z.1f}'.format(-0.01) }}", '+0.0'],
  ["{{ '{:z}'.format(-0.0) }}", '0.0'],
  ["{{ '{:z.1e}'.format(-0.0) }}", '0.0e+00'],
  ["{{ '{:z.0%}'.format(-0.001) }}", '0%'],
  ["{{ '{:.1f}'.format(-0.01) }}", '-0.0'],
  ["{{ '{:z}'.format(1) }}", 'ValueError'],
  ["{{ '{:z}'.format('a') }}", 'ValueError'],
])('the flag z removes the sign of a number that is rounded to zero: %s', (source, expected) => {
  const compiled = compileTemplate(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.template.render(new Map());
  expect(result.ok ? result.output : result.error.type).toBe(expected);
});
