import { compileTemplate } from '../compile-template.js';

function render(source: string): string {
  const compiled = compileTemplate(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.template.render(new Map());
  return result.ok ? result.output : result.error.message;
}

test('a % format without conversions ignores a range, which Python treats as a mapping', () => {
  expect(render("{{ 'text' % range(3) }}")).toBe('text');
});

test('a % format without conversions fails if a value is given', () => {
  expect(render("{{ 'text' % 3 }}")).toBe('not all arguments converted during string formatting');
});
