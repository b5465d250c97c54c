import fc from 'fast-check';
import { alertContext, checkBody, createTemplateCompiler, sampleFacts } from '../src/index.js';
import { anyTemplate } from '../tools/fuzz/any-template.js';
import { compileBody, compilePlain } from './support/compilers.js';

const context = alertContext(sampleFacts);

const fragments = [
  '{{',
  '}}',
  '{%',
  '%}',
  '{#',
  '#}',
  '-',
  '+',
  '~',
  '|',
  '.',
  ',',
  ':',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '==',
  '**',
  '//',
  ' if ',
  ' else ',
  ' for x in ',
  ' is ',
  ' not ',
  'endif',
  'endfor',
  'set x',
  'macro m(a)',
  'endmacro',
  'raw',
  'endraw',
  'filter upper',
  'endfilter',
  'call m(1)',
  'endcall',
  'block b',
  'endblock',
  'with',
  'endwith',
  'model_name',
  'metric_value',
  'alert',
  'loop',
  'self',
  'caller',
  '__proto__',
  'constructor',
  "'",
  '"',
  '\\',
  '1',
  '2.5',
  '1e400',
  'none',
  'true',
  'range(9)',
  'tojson',
  'sort',
  'default',
  'format',
  'nope',
  '\n',
  '\r',
  '\t',
  '\0',
  '\ud800',
  '\u2028',
  '😀',
  'é',
  ' ',
  'text',
];

const garbage = fc.oneof(
  fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => `{{ ${parts.join(' ')} }}`),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

test('any template source renders, or fails with an error that has a line and a column', () => {
  fc.assert(
    fc.property(garbage, (source) => {
      for (const compile of [compileBody, compilePlain]) {
        const compiled = compile(source);
        const result = compiled.ok ? compiled.template.render(context) : compiled;
        if (result.ok) continue;
        const { line, column, excerpt } = result.error;
        expect([line > 0, column > 0, excerpt.endsWith('^')]).toEqual([true, true, true]);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('the check of any template source returns a result, and an accepted source renders to JSON', () => {
  let accepted = 0;
  const sources = fc.oneof(
    garbage,
    garbage.map((text) => `{"a": "${text}"}`),
    garbage.map((text) => `{"a": {{ [${text}] | tojson }}}`),
  );
  fc.assert(
    fc.property(sources, (source) => {
      if (!checkBody(source).ok) return;
      accepted += 1;
      const compiled = compileBody(source);
      const result = compiled.ok ? compiled.template.render(context) : compiled;
      if (!result.ok) throw new Error(result.error.message);
      JSON.parse(result.output);
    }),
    { numRuns: 1_000 },
  );
  expect(accepted).toBeGreaterThan(50);
});

test('a template renders to the same output each time', () => {
  let rendered = 0;
  for (const source of fc.sample(anyTemplate(), { seed: 3, numRuns: 300 })) {
    const compiled = compilePlain(source);
    if (!compiled.ok) continue;
    const first = compiled.template.render(context);
    if (first.ok) rendered += 1;
    expect([source, compiled.template.render(context)]).toEqual([source, first]);
  }
  expect(rendered).toBeGreaterThan(100);
});

test('a variable can have the name of a JavaScript object member, for example __proto__', () => {
  const variables = new Map([
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['hasOwnProperty', 'c'],
    ['call', 'd'],
  ]);
  const compiled = compileBody(
    '{{ __proto__ }}{{ constructor }}{{ hasOwnProperty }}{{ call }}{{ toString }}',
  );
  if (!compiled.ok) throw new Error(compiled.error.message);
  expect(compiled.template.render(variables)).toEqual({ ok: true, output: 'abcd' });
});

test('a rendering that exceeds its time limit fails with an error of the kind overrun', () => {
  let clock = 0;
  const compile = createTemplateCompiler({ now: () => (clock += 60) });
  const compiled = compile('{% for a in range(5000) %}{{ a }}{% endfor %}');
  if (!compiled.ok) throw new Error(compiled.error.message);
  expect(compiled.template.render(context)).toMatchObject({
    ok: false,
    error: { kind: 'overrun', phase: 'render' },
  });
});

test('an error about an undefined variable suggests a similar name', () => {
  const compiled = compileBody('line\n  {{ model_nam.x }}');
  if (!compiled.ok) throw new Error(compiled.error.message);
  expect(compiled.template.render(context)).toEqual({
    ok: false,
    error: {
      phase: 'render',
      kind: 'template_error',
      type: 'UndefinedError',
      message: "'model_nam' is undefined. Did you mean 'model_name'?",
      line: 2,
      column: 16,
      excerpt: '  {{ model_nam.x }}\n               ^',
      suggestion: 'model_name',
    },
  });
});
