import fc from 'fast-check';
import { alertContext, sampleFacts } from '../src/index.js';
import { getAttribute, getItem } from '../src/methods/attributes.js';
import { createStrMethods } from '../src/methods/str-methods.js';
import { templateNames } from '../src/template-names.js';
import { checkBody } from './support/check-body.js';
import { compileBody } from './support/compilers.js';

/** Renders a body in which `V` is the name of the model. Returns undefined if the rendering fails. */
function render(source: string, value: string): string | undefined {
  const compiled = compileBody(source.replaceAll('V', 'model_name'));
  if (!compiled.ok) return undefined;
  const result = compiled.template.render(alertContext({ ...sampleFacts, model_name: value }));
  return result.ok ? result.output : undefined;
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const forging = [
  `{% set text %}\nModel NAME{% endset %}{"text": "{{ text | trim | replace('NAME', V) }}"}`,
  '{% set text %}"%s"{% endset %}{"text": {{ text | format(V) }}}',
  '{% set text %}"{}"{% endset %}{"text": {{ text.format(V) }}}',
  '{% set text %}"%s"{% endset %}{"text": {{ text % V }}}',
  `{% macro line() %}\nModel NAME{% endmacro %}{"text": "{{ line().strip().replace('NAME', V) }}"}`,
  '{% macro line() %}"Model %s"{% endmacro %}{"text": {{ line() | format(V) }}}',
  '{% set text %}"a b"{% endset %}{"text": {{ text | wordwrap(2, true, V) }}}',
  `{"text": {{ '"%s"' | safe | format(V) }}}`,
  `{"text": {{ '"NAME"' | safe | replace('NAME', V) }}}`,
];

test.each([
  ['one', '{"a": "C:\\V", "b": "V"}'],
  ['two', '{"a": "C:\\\\V", "b": "V"}'],
  ['in captured text', '{% set path %}C:\\V{% endset %}{"a": "{{ path }}", "b": "V"}'],
  ['before captured text', '{% set path %}V.{% endset %}{"a": "C:\\{{ path }}", "b": "V"}'],
  ['in two texts', '{% set path %}C:\\{% endset %}{"a": "{{ path }}{{ "" }}V", "b": "V"}'],
])('a backslash of the template before a value does not end a JSON string: %s', (_, source) => {
  for (const value of ['", "admin": true, "c": "', '\\', '\n', '"']) {
    const body = parse(render(source.replaceAll('V', '{{ model_name }}'), value));
    expect(body).toEqual({ a: `C:\\${value}${source.includes('V.') ? '.' : ''}`, b: value });
  }
});

test.each(forging)('a value inserted into captured text stays inside its JSON string: %s', (source) => {
  expect(checkBody(source.replaceAll('V', 'model_name'))).toMatchObject({ ok: true });
  for (const quote of ['"', '\u{10ff00}', '\u{10ff24}\ue000']) {
    const value = `m${quote}, ${quote}admin${quote}: ${quote}yes`;
    const parsed = parse(render(source, value)) as { text: string };
    expect(Object.keys(parsed)).toEqual(['text']);
    expect(parsed.text).toContain(value);
  }
});

const captures = [
  ['t', '{% set t %}"a %s {} b"{% endset %}'],
  ['t', '{% set t %}"a %s {{ V }} b"{% endset %}'],
  ['m()', '{% macro m() %}"a {} {{ V }}"{% endmacro %}'],
  [
    't',
    '{% macro m() %}"{{ caller() }}"{% endmacro %}{% set t %}{% call m() %}%s {{ V }}{% endcall %}{% endset %}',
  ],
  ['t', '{% set t %}{% filter trim %} "%s" {% endfilter %}{% endset %}'],
] as const;

/** Expressions of one filter or method. `S` is the string. Most calls are valid for some of the argument lists. */
const argumentLists = [
  '',
  'V',
  'V, V',
  '"a", V',
  'V, "a"',
  '3, V',
  '9, true, V',
  '2, true, V',
  '["a"], V',
  'T',
  'T, V',
  'V, T',
];
const strMethods = [...createStrMethods({ getAttribute, getItem }).keys()];
/** `safe` is the author's promise that a text needs no escapes. */
const filters = templateNames().filters.filter((name) => name !== 'safe');
const operationsByName: readonly (readonly [name: string, operations: readonly string[]])[] = [
  ...filters.map((name) => [name, argumentLists.map((list) => `S | ${name}(${list})`)] as const),
  ...strMethods.map((name) => [`str.${name}`, argumentLists.map((list) => `S.${name}(${list})`)] as const),
  ['slices', ['S[1:]', 'S[:-1]', 'S[::-1]', 'S[0]', 'S[-1]']],
  [
    'operators',
    ['S ~ V', 'S + V', 'S % V', 'S * 2', 'S % T', '"%s" % S', 'V % S', '{S: V}', 'V in S', '[S]'],
  ],
  ['joins', ['[S, V] | join(V)', '[S, V] | join(T)', '[S] | map("upper") | first', '"{}".format(S)']],
];
const operations = operationsByName.flatMap(([, expressions]) => expressions);

/** Applies operations one after the other to captured text or to the value. */
const expressions = fc
  .tuple(fc.constantFrom('T', 'V'), fc.array(fc.constantFrom(...operations), { minLength: 1, maxLength: 3 }))
  .map(([start, chain]) =>
    chain.reduce((result, operation) => operation.replaceAll('S', `(${result})`), start),
  );

function bodies(expression: string): string[] {
  return captures.flatMap(([name, capture]) => {
    const printed = expression.replaceAll('T', name);
    return [
      `{"before": 1, "x": {{ ${printed} }}, "after": 2}`,
      `{"before": 1, "x": "{{ ${printed} }}", "after": 2}`,
      `{"before": 1, "x": {% filter trim %}{{ ${printed} }}{% endfilter %}, "after": 2}`,
    ].map((body) => capture + body);
  });
}

const codes = Array.from({ length: 0x25 }, (_, index) => index);
const textFrom = (first: number) => `a ${codes.map((code) => String.fromCodePoint(first + code)).join('')} z`;

/** Replaces each character that is not ASCII, and each escape of one, by a question mark. */
function shapeOf(output: string | undefined): string | undefined {
  return output?.replace(/(?:%[\dA-F]{2}){4}|\\u[\da-f]{4}\\u[\da-f]{4}|\\+U[\da-f]{8}|[^\0-\x7f]/gu, '?');
}

function expectNoMarks(body: string): void {
  const [actual, expected] = [0x10ff00, 0x10fe00].map((first) => shapeOf(render(body, textFrom(first))));
  expect([body, actual]).toEqual([body, expected]);
}

test.each(operationsByName)('U+10FF00 to U+10FF24 in a value have no meaning for %s', (_, expressions) => {
  for (const expression of expressions) {
    expectNoMarks(bodies(expression.replaceAll('S', 'T'))[3]!);
    expectNoMarks(bodies(expression.replaceAll('S', 'V'))[0]!);
  }
});

test('U+10FF00 to U+10FF24 in a value have no meaning after several operations', () => {
  fc.assert(
    fc.property(expressions, (expression) => {
      for (const body of bodies(expression)) expectNoMarks(body);
    }),
    { numRuns: 100 },
  );
});

/** `tojson` returns JSON, and operations on its result edit that JSON. */
const textExpressions = expressions.filter((expression) => !expression.includes('tojson'));

test('a value with quotes adds no member to a body, whatever a template does with it', () => {
  let compared = 0;
  fc.assert(
    fc.property(textExpressions, (expression) => {
      for (const body of bodies(expression)) {
        const harmless = parse(render(body, 'mq, qadminq: qyes'));
        if (harmless === undefined) continue;
        compared++;
        const parsed = parse(render(body, 'm", "admin": "yes'));
        // The value can be a search text, so that it removes quotes of the template. Such a body is not JSON.
        if (parsed === undefined) continue;
        expect([body, Object.keys(parsed as object)]).toEqual([body, Object.keys(harmless as object)]);
      }
    }),
    { numRuns: 300 },
  );
  expect(compared).toBeGreaterThan(100);
});
