import { readFileSync } from 'node:fs';
import { alertContext, alertVariables, checkBody, createBodyCompiler, sampleFacts } from '../src/index.js';

const page = readFileSync(new URL('../../../docs/templates.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```jinja\n([\s\S]*?)```\n```json\n([\s\S]*?)```/g)].map(
  ([, template = '', result = '']): [string, string] => [template, result],
);

test.each(examples)(
  'example %# of docs/templates.md renders to the result that the page shows',
  (template, result) => {
    const compiled = createBodyCompiler()(template);
    if (!compiled.ok) throw new Error(compiled.error.message);
    const rendered = compiled.template.render(alertContext(sampleFacts));
    if (!rendered.ok) throw new Error(rendered.error.message);
    expect(JSON.parse(rendered.output)).toEqual(JSON.parse(result));
  },
);

test.each(examples)('example %# of docs/templates.md is accepted as a webhook body', (template) => {
  expect(checkBody(template)).toMatchObject({ ok: true });
});

test('docs/templates.md shows a JSON result directly after each template example', () => {
  expect(examples).toHaveLength(page.split('```jinja').length - 1);
});

test('docs/templates.md shows the sample value of each variable except bound, state and is_test', () => {
  const exampleOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  for (const name of alertVariables.filter((variable) => !['bound', 'state', 'is_test'].includes(variable))) {
    expect(page).toContain(`| \`${name}\` |`);
    expect(page).toContain(`\`${exampleOf(sampleFacts[name])}\` |`);
  }
});
