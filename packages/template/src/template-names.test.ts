import { compileTemplate } from './compile-template.js';
import { templateNames } from './template-names.js';

const names = templateNames();
const compileError = (source: string) => {
  const compiled = compileTemplate(source);
  return compiled.ok ? undefined : compiled.error.message;
};

test('templates can use all listed filters and tests', () => {
  for (const filter of names.filters) expect(compileError(`{{ 1 | ${filter} }}`)).toBeUndefined();
  for (const test of names.tests) expect(compileError(`{{ 1 is ${test} }}`)).toBeUndefined();
});

test('the parser knows all listed tags', () => {
  for (const tag of names.tags) expect(compileError(`{% ${tag} %}`) ?? '').not.toContain('unknown tag');
});

test('templateNames lists the variables, members and functions that a body can use', () => {
  expect(names.variables).toEqual(expect.arrayContaining(['alert_rule_name', 'metric_value', 'model']));
  expect(names.members.get('model')).toEqual(['id', 'name']);
  expect(names.functions).toContain('range');
});
