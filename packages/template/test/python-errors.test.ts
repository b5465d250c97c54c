import { compilePlain } from './support/compilers.js';

const long = "('a' * 400)";

test.each([
  [`${long} | wordwrap(20, true, false)`, 'AttributeError', "'bool' object has no attribute 'join'"],
  [`${long} | wordwrap(20, wrapstring=n)`, 'UndefinedError', "'n' is undefined"],
  [`${long} | truncate(12.5)`, 'TypeError', 'slice indices must be integers'],
  [`${long} | truncate(40 / 2)`, 'TypeError', 'slice indices must be integers'],
  [`${long} | truncate('nan' | float)`, 'TypeError', 'slice indices must be integers'],
])('the expression %s fails with the error of Jinja2', (expression, type, message) => {
  const compiled = compilePlain(`{{ ${expression} }}`);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.template.render(new Map());
  expect(result).toMatchObject({ ok: false, error: { type, message: expect.stringContaining(message) } });
});

test('a generator that reads itself fails with the ValueError of Python', () => {
  const compiled = compilePlain(
    "{% set l = [] %}{% set g = l | map('list') %}{% set _ = l.append(g) %}{{ g | list }}",
  );
  if (!compiled.ok) throw new Error(compiled.error.message);
  expect(compiled.template.render(new Map())).toMatchObject({
    ok: false,
    error: { type: 'ValueError', message: 'generator already executing' },
  });
});
