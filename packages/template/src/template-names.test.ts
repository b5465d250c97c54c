import { compileTemplate } from './compile-template.js';
import { templateNames } from './template-names.js';

const names = templateNames();
const compileError = (source: string) => {
  const compiled = compileTemplate(source);
  return compiled.ok ? undefined : compiled.error.message;
};

test('every name of a filter and of a test compiles', () => {
  for (const filter of names.filters) expect(compileError(`{{ 1 | ${filter} }}`)).toBeUndefined();
  for (const test of names.tests) expect(compileError(`{{ 1 is ${test} }}`)).toBeUndefined();
});

test('every name of a tag is known to the parser', () => {
  for (const tag of names.tags) expect(compileError(`{% ${tag} %}`) ?? '').not.toContain('unknown tag');
});

test('variables, members and functions are those of an alert', () => {
  expect(names.variables).toEqual(expect.arrayContaining(['alert_rule_name', 'metric_value', 'model']));
  expect(names.members.get('model')).toEqual(['id', 'name']);
  expect(names.functions).toContain('range');
});
