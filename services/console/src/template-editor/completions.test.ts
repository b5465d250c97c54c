import { completeNames } from './completions.js';

function labels(text: string, isExplicit = false): string[] {
  const offset = text.indexOf('^');
  const found = completeNames(text.replace('^', ''), offset, isExplicit);
  return (found?.options ?? []).map(({ label }) => label);
}

test('in braces, the editor completes variables, objects, functions and names that `set` defines', () => {
  expect(labels('{% set off = 1 %}{{ ^ }}')).toEqual(
    expect.arrayContaining(['off', 'model_name', 'metric_value', 'alert_rule', 'range']),
  );
});

test('the editor completes filters, tests, tags and members only where the syntax allows them', () => {
  expect(labels('{{ metric_value | ^')).toEqual(expect.arrayContaining(['round', 'default', 'tojson']));
  expect(labels('{{ metric_value | ^')).not.toContain('model_name');
  expect(labels('{{ bound is ^')).toEqual(expect.arrayContaining(['defined', 'none']));
  expect(labels('{% ^')).toEqual(expect.arrayContaining(['if', 'else', 'endif', 'for', 'endfor']));
  expect(labels('{{ model.^')).toEqual(['id', 'name']);
  expect(labels('{{ unknown.^')).toEqual([]);
});

test('outside `{{ }}` and `{% %}`, a variable is completed only on request, with braces added', () => {
  expect(labels('{"a": "mod^')).toEqual([]);
  const found = completeNames('{"a": "mod', 10, true);
  expect(found?.from).toBe(7);
  expect(found?.options).toContainEqual(
    expect.objectContaining({ label: 'model_name', apply: '{{ model_name }}' }),
  );
});
