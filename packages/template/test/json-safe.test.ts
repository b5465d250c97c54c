import fc from 'fast-check';
import { type AlertFacts, alertContext, sampleFacts } from '../src/index.js';
import { fromJson } from '../src/values/from-json.js';
import { sampleTypes, sampleValues } from '../tools/fuzz/sample-values.js';
import { typedExpression } from '../tools/fuzz/typed-expression.js';
import { compileBody, compilePlain } from './support/compilers.js';

const hostileTexts = [
  '"',
  '\\',
  '\\"',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\u0007',
  '\u001f',
  '\u007f',
  '\u2028\u2029',
  '\ud800',
  '\udc00x',
  '😀',
  '日本',
  '", "admin": true, "x": "',
  '\\u0022',
  '</script>',
  "it's",
  '{{ 7 * 7 }}',
  '{% raw %}',
  '{# c #}',
  '',
  ' ',
  '\u{10ff00}\u{10ff01}',
  '<b>&amp;</b>',
  '%s %d {0}',
  'null',
  '1e999',
  '__proto__',
];
const hostileText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...hostileTexts)).map((parts) => parts.join('')),
);

function renderBody(source: string, facts: AlertFacts): string {
  const compiled = compileBody(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.template.render(alertContext(facts));
  if (!result.ok) throw new Error(result.error.message);
  // The sender encodes the body as UTF-8, and a destination decodes it. The encoding replaces lone surrogates, because
  // UTF-8 cannot represent them.
  return Buffer.from(result.output).toString();
}

/** Templates with a variable `V`. The rendered JSON must contain exactly the value of `V`. */
const exactPositions = [
  '"{{ V }}"',
  '{{ V | tojson }}',
  '"{{ V | string }}"',
  '"{{ V | default("none") }}"',
  '"{{ "" ~ V }}"',
  '"{{ V + "" }}"',
  '"{{ [V] | join }}"',
  '"{{ [V, ""] | join }}"',
  '"{{ [V] | first }}"',
  '"{{ "%s" | format(V) }}"',
  '"{{ "{}".format(V) }}"',
  '"{{ V.replace("", "", 0) }}"',
  '"{{ (V, 1)[0] }}"',
  '"{{ {"k": V}.k }}"',
  '"{{ V if true else 1 }}"',
  '"{{ V or V }}"',
  '"{% if true %}{{ V }}{% endif %}"',
  '"{% for v in [V] %}{{ v }}{% endfor %}"',
  '"{% with v = V %}{{ v }}{% endwith %}"',
  '"{% set v = V %}{{ v }}"',
  '"{% set v %}{{ V }}{% endset %}{{ v }}"',
  '{% set v %}{{ V }}{% endset %}{{ v | tojson }}',
  '"{% macro m(v) %}{{ v }}{% endmacro %}{{ m(V) }}"',
  '{% macro m(v) %}{{ v }}{% endmacro %}{{ m(V) | tojson }}',
  '{% macro m(v) %}"{{ v }}"{% endmacro %}{{ m(V) }}',
  '{% macro m(v) %}{{ v | tojson }}{% endmacro %}{{ m(V) }}',
  '{% macro a(v) %}"{{ v }}"{% endmacro %}{% macro b(v) %}{{ a(v) }}{% endmacro %}{{ b(V) }}',
  '{% macro m() %}"{{ caller() }}"{% endmacro %}{% call m() %}{{ V }}{% endcall %}',
  '"{% filter string %}{{ V }}{% endfilter %}"',
  '{% filter trim %} "{{ V }}" {% endfilter %}',
  '{% filter tojson %}{{ V }}{% endfilter %}',
  '"{% block b %}{{ V }}{% endblock %}"',
  '{% set v %}"{{ V }}"{% endset %}{{ v }}',
  '{% set v %}\n  "{{ V }}"\n{% endset %}{{ v | trim }}',
  '{% set ns = namespace(v="") %}{% set ns.v = V %}"{{ ns.v }}"',
  '"{{ V | safe | default(V) if false else V }}"',
];

test.each(exactPositions)(
  'the template %s renders to JSON that contains a hostile value unchanged',
  (position) => {
    fc.assert(
      fc.property(hostileText, (value) => {
        const source = `{"value": ${position.replaceAll('V', 'model_name')}, "after": true}`;
        const parsed: unknown = JSON.parse(renderBody(source, { ...sampleFacts, model_name: value }));
        expect(parsed).toEqual({ value, after: true });
      }),
      { numRuns: 60, examples: hostileTexts.map((value): [string] => [value]) },
    );
  },
);

test('tojson prints a value that occurs twice in a list, and refuses a list that contains itself', () => {
  const render = (body: string) => {
    const compiled = compileBody(body);
    return compiled.ok ? compiled.template.render(alertContext(sampleFacts)) : compiled;
  };
  const repeated = '{% set l = [1] %}{% set d = {"k": l} %}{{ [l, l, d, {"a": d}] | tojson }}';
  expect(render(repeated)).toMatchObject({ ok: true, output: '[[1], [1], {"k": [1]}, {"a": {"k": [1]}}]' });
  const circular = '{% set l = [1] %}{% set _ = l.append(l) %}{{ l | tojson }}';
  expect(render(circular)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('Circular reference') },
  });
});

test('every text or number variable has its exact value in the rendered JSON, also with tojson', () => {
  const number = fc.double({ noDefaultInfinity: true, noNaN: true });
  const facts = fc.record({
    alert_rule_name: hostileText,
    alert_rule_id: hostileText,
    model_name: hostileText,
    model_id: hostileText,
    metric_value: number,
    threshold: number,
    bound: hostileText,
    alert_id: hostileText,
    fired_at: hostileText,
    workspace_id: hostileText,
    state: hostileText,
  });
  const names = Object.entries(sampleFacts).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [name] : [],
  );
  const members = names.flatMap((name) => [
    `"${name}": ${typeof sampleFacts[name as keyof AlertFacts] === 'number' ? `{{ ${name} }}` : `"{{ ${name} }}"`}`,
    `"json_${name}": {{ ${name} | tojson }}`,
  ]);
  fc.assert(
    fc.property(facts, (values) => {
      const parsed = JSON.parse(
        renderBody(`{${members.join(', ')}}`, { ...sampleFacts, ...values }),
      ) as Record<string, unknown>;
      for (const [name, value] of Object.entries(values)) {
        expect([parsed[name], parsed[`json_${name}`]]).toEqual([value, value]);
      }
    }),
  );
});

test('a JSON string with an expression parses to the text that the expression prints unescaped', () => {
  const variables = new Map(
    Object.entries(sampleValues).map(([name, value]) => [
      name,
      fromJson(value, (pointer) => sampleTypes[pointer] === 'float', `/${name}`),
    ]),
  );
  let compared = 0;
  for (const expression of fc.sample(typedExpression(3), { seed: 7, numRuns: 3_000 })) {
    if (/safe|tojson|round|\[.*\|e|\|e\b|escape|striptags|join|urlize|xmlattr/.test(expression)) continue;
    const source = `{{ ${expression} }}`;
    const plain = compilePlain(source);
    const body = compileBody(`"${source}"`);
    if (!plain.ok || !body.ok) continue;
    const expected = plain.template.render(new Map(variables));
    const actual = body.template.render(new Map(variables));
    if (!expected.ok || !actual.ok) continue;
    compared++;
    expect([expression, JSON.parse(actual.output)]).toEqual([expression, expected.output]);
  }
  expect(compared).toBeGreaterThan(500);
});

test('text marked as safe, results of tojson, and numbers are printed without JSON escaping', () => {
  const source =
    '{"a": {{ "[1]" | safe }}, "b": {{ metric_value }}, "c": {{ 3 }}, "d": {{ {"x": [1]} | tojson }}}';
  expect(JSON.parse(renderBody(source, sampleFacts))).toEqual({ a: [1], b: 0.8734567, c: 3, d: { x: [1] } });
});

test('a macro prints valid JSON with escaped values, even after filters and operators', () => {
  const hostile = '", "admin": true, "x": "';
  const macro =
    '{% macro field(name, value) %}\n  {"name": "{{ name }}", "value": "{{ value }}"}\n{% endmacro %}';
  for (const use of [
    '{{ field("n", model_name) }}',
    '{{ field("n", model_name) | trim }}',
    '{{ field("n", model_name) | indent(4) }}',
    '{{ "" ~ field("n", model_name) }}',
    '{{ [field("n", model_name)] | join(", ") }}',
    '{{ field("n", model_name) + "" }}',
    '{{ field("n", model_name) | replace("zz", "y") }}',
  ]) {
    const parsed: unknown = JSON.parse(
      renderBody(`${macro}[${use}]`, { ...sampleFacts, model_name: hostile }),
    );
    expect([use, parsed]).toEqual([use, [{ name: 'n', value: hostile }]]);
  }
});

test('text captured by a set block has the length and value of the unescaped text', () => {
  const source =
    '{% set v %}say "{{ bound }}"{% endset %}[{{ (v == "say \\"lower_bound\\"") | tojson }}, {{ v | length }}]';
  expect(JSON.parse(renderBody(source, sampleFacts))).toEqual([true, 17]);
});

test('text that is escaped for HTML is escaped for JSON too', () => {
  const facts = { ...sampleFacts, model_name: '<a href="x">\n\\' };
  for (const source of [
    '"{{ model_name | e }}"',
    '"{% autoescape true %}{{ model_name }}{% endautoescape %}"',
  ]) {
    expect(JSON.parse(renderBody(source, facts))).toBe('&lt;a href=&#34;x&#34;&gt;\n\\');
  }
});

test('hostile labels and annotations have their exact value in the JSON', () => {
  const source = `{"team": "{{ labels.team }}", "labels": {{ labels | tojson }}, "list": [
    {%- for name, text in annotations.items() %}"{{ name }}", "{{ text }}"{{ ", " if not loop.last }}{% endfor %}]}`;
  fc.assert(
    fc.property(hostileText, hostileText, (name, value) => {
      const labels = { team: value };
      const rendered = renderBody(source, { ...sampleFacts, labels, annotations: { [name]: value } });
      expect(JSON.parse(rendered)).toEqual({ team: value, labels, list: [name, value] });
    }),
  );
});
