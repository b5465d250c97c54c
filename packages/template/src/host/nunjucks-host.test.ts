import nunjucks from 'nunjucks';
import { createTemplateCompiler, type Template } from '../compile-template.js';
import { createNunjucksHost } from './nunjucks-host.js';

const compile = createTemplateCompiler();

function templateOf(source: string): Template {
  const compiled = compile(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.template;
}

test('a template renders the same with and without nunjucks', () => {
  const host = createNunjucksHost();
  for (const source of ['{{ a }} {{ 1 / 3 }}', '{{ a.b.c }}', '{{ 7 // 0 }}']) {
    const template = templateOf(source);
    const variables = new Map([['a', 'x']]);
    expect(host(template).render(variables)).toEqual(template.render(variables));
  }
});

test('the runtime of nunjucks never evaluates an expression', () => {
  const host = createNunjucksHost();
  const source = '{{ range.constructor("return 1") is undefined }}';
  expect(host(templateOf(source)).render(new Map())).toMatchObject({ ok: false });
  expect(host(templateOf('{{ 4 / 2 }} {{ none }}')).render(new Map())).toEqual({
    ok: true,
    output: '2.0 None',
  });
});

test('a filter returns the same result as in Jinja2, even if it differs from that of nunjucks', () => {
  expect(new nunjucks.Environment().renderString('{{ true | string }}', {})).toBe('true');
  const host = createNunjucksHost();
  expect(host(templateOf('{{ true | string }}')).render(new Map())).toEqual({ ok: true, output: 'True' });
});
