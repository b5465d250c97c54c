import { propertyRuns } from '@tocsin/testing';
import fc from 'fast-check';
import {
  type AlertFacts,
  alertContext,
  checkBody,
  createBodyCompiler,
  type Json,
  sampleFacts,
} from '../src/index.js';

const compile = createBodyCompiler();

/** Part of a body with the JSON that it must render to. `anything` means that any JSON value is accepted. */
interface Piece {
  source: string;
  expected(facts: AlertFacts): Json;
}
const anything = () => expect.anything() as unknown as Json;

const texts = [
  'alert_rule_name',
  'model_name',
  'alert_rule_id',
  'model_id',
  'bound',
  'alert_id',
  'fired_at',
] as const;
const numbers = ['metric_value', 'threshold'] as const;
const textName = fc.constantFrom(...texts);
const numberName = fc.constantFrom(...numbers);

const textFilters = [
  'upper',
  'lower',
  'title',
  'capitalize',
  'trim',
  'truncate(9)',
  'truncate(12, true, "…")',
  'replace("a", "\\"")',
  'replace("\\"", "")',
  'wordwrap(8)',
  'center(20)',
  'indent(2)',
  'reverse',
  'urlencode',
  'e',
  'striptags',
  'string',
  'default("none", true)',
  'list | join("-")',
  'first',
  'last',
  'length',
  'tojson | length',
];
/**
 * Filters for numbers. Everything that multiplies is left out: operators, and `round` with the method ceil or floor,
 * which multiplies by a power of ten. A product that is too large for a double prints `inf`, which is not JSON, or it
 * makes the rendering fail, as in Python.
 */
const numberFilters = [
  'round',
  'round(2)',
  'round(12)',
  'round(-2)',
  'int',
  'abs',
  'float',
  'string',
  'tojson',
];
const formats = ['%.3f', '%e', '%d'];

const inner: fc.Arbitrary<Piece> = fc.oneof(
  {
    weight: 4,
    arbitrary: textName.map((name): Piece => ({ source: `{{ ${name} }}`, expected: (facts) => facts[name] })),
  },
  fc
    .tuple(textName, fc.array(fc.constantFrom(...textFilters), { minLength: 1, maxLength: 3 }))
    .map(
      ([name, filters]): Piece => ({ source: `{{ ${[name, ...filters].join(' | ')} }}`, expected: anything }),
    ),
  textName.map(
    (name): Piece => ({
      source: `{% set v %}<{{ ${name} }}>{% endset %}{{ v }}`,
      expected: (facts) => `<${facts[name]}>`,
    }),
  ),
  fc.tuple(textName, numberName).map(
    ([name, number]): Piece => ({
      source: `{{ ${name} ~ ": " ~ ${number} }}`,
      expected: anything,
    }),
  ),
  textName.map(
    (name): Piece => ({
      source: `{{ ${name}[:5] }}{{ ${name}[5:] }}`,
      expected: (facts) => facts[name],
    }),
  ),
  fc.constantFrom<Piece>(
    { source: '{{ nope }}{{ alert.nope }}', expected: () => '' },
    { source: '\\n\\"\\u00e9é😀', expected: () => '\n"éé😀' },
    { source: '{# "comment" #}', expected: () => '' },
  ),
);

/** Generates JSON strings that contain one or more parts. */
const string = fc.array(inner, { minLength: 1, maxLength: 3 }).map((pieces): Piece => {
  const isExact = (values: unknown[]): values is string[] =>
    values.every((value) => typeof value === 'string');
  return {
    source: `"${pieces.map(({ source }) => source).join(' ')}"`,
    expected(facts) {
      const values = pieces.map(({ expected }) => expected(facts));
      return isExact(values) ? values.join(' ') : anything();
    },
  };
});

const leaf: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 3, arbitrary: string },
  textName.map((name): Piece => ({ source: `{{ ${name} | tojson }}`, expected: (facts) => facts[name] })),
  numberName.map((name): Piece => ({ source: `{{ ${name} }}`, expected: (facts) => facts[name] })),
  fc
    .tuple(numberName, fc.constantFrom(...numberFilters))
    .map(([name, filter]): Piece => ({ source: `{{ ${name} | ${filter} }}`, expected: anything })),
  fc
    .tuple(numberName, fc.constantFrom(...formats))
    .map(([name, format]): Piece => ({ source: `{{ "${format}" | format(${name}) }}`, expected: anything })),
  fc.constantFrom<Piece>(
    {
      source: '{{ (metric_value > threshold) | tojson }}',
      expected: (facts) => facts.metric_value > facts.threshold,
    },
    { source: '{{ alert | tojson }}', expected: anything },
    {
      source: '{{ [model_name, {"k": metric_value}] | tojson }}',
      expected: (facts) => [facts.model_name, { k: facts.metric_value }],
    },
    { source: 'null', expected: () => null },
    { source: '-0.5e3', expected: () => -500 },
  ),
);

const body = fc.letrec<{ value: Piece }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }).map(
      (members): Piece => ({
        source: `{${members.map(({ source }, index) => `"k${index}": ${source}`).join(',\n')}}`,
        expected: (facts) =>
          Object.fromEntries(members.map(({ expected }, index) => [`k${index}`, expected(facts)])),
      }),
    ),
    fc.array(tie('value'), { maxLength: 3 }).map(
      (items): Piece => ({
        source: `[${items.map(({ source }) => source).join(', ')}]`,
        expected: (facts) => items.map(({ expected }) => expected(facts)),
      }),
    ),
    fc.tuple(tie('value'), tie('value')).map(
      ([high, low]): Piece => ({
        source: `{%- if bound == "upper_bound" %} ${high.source} {% else %} ${low.source} {% endif -%}`,
        expected: (facts) => (facts.bound === 'upper_bound' ? high : low).expected(facts),
      }),
    ),
    tie('value').map(
      (item): Piece => ({
        source: `[{% for n in range(3) %}${item.source}{{ "," if not loop.last }}{% endfor %}]`,
        expected: (facts) => [0, 1, 2].map(() => item.expected(facts)),
      }),
    ),
    string.map(
      (item): Piece => ({
        source: `{% macro m(given) %}[${item.source}, "{{ given }}"]{% endmacro %}{{ m(model_name) }}`,
        expected: (facts) => [item.expected(facts), facts.model_name],
      }),
    ),
  ),
})).value;

const hostile = fc.constantFrom(
  '"',
  '\\',
  '\n',
  '\r\n',
  '\0',
  '\u001f',
  '\u007f',
  '\u2028',
  '\ud800',
  '\udc00x',
  '😀',
  '{{ x }}',
  '{% y %}',
  '</script>',
  '\u{10ff00}',
  '\u{10ff24}',
);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(hostile, { maxLength: 8 }).map((parts) => parts.join('')),
  hostile.map((part) => part.repeat(128)),
);
/** Generates well-formed text, because alerts with a lone surrogate are rejected over REST and AMQP. */
const name = anyText.map((text) => text.toWellFormed());
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 5, -1, 5e-324, 1e-7, 1e16, 1e22, 2 ** 53 + 2, Number.MAX_VALUE, -Number.MAX_VALUE),
);
const facts: fc.Arbitrary<AlertFacts> = fc.record({
  alert_rule_name: name,
  model_name: name,
  alert_rule_id: fc.uuid(),
  model_id: fc.uuid(),
  alert_id: fc.uuid(),
  workspace_id: fc.uuid(),
  metric_value: number,
  threshold: number,
  bound: fc.constantFrom('upper_bound', 'lower_bound'),
  fired_at: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((time) => time.toISOString()),
  state: fc.constantFrom('firing', 'resolved'),
  labels: fc.dictionary(fc.stringMatching(/^[A-Za-z_][\w.-]{0,9}$/), name, { maxKeys: 3 }),
  annotations: fc.dictionary(name, name, { maxKeys: 3 }),
  is_test: fc.boolean(),
});

function render(source: string, values: AlertFacts) {
  const compiled = compile(source);
  return compiled.ok ? compiled.template.render(alertContext(values)) : compiled;
}

test('an accepted body renders to JSON with the values of the alert, for any alert', () => {
  let accepted = 0;
  fc.assert(
    fc.property(body, fc.array(facts, { minLength: 1, maxLength: 3 }), ({ source, expected }, alerts) => {
      if (!checkBody(source).ok) return;
      accepted += 1;
      for (const values of [sampleFacts, ...alerts]) {
        const rendered = render(source, values);
        if (!rendered.ok) throw new Error(rendered.error.message);
        const received = Buffer.from(rendered.output).toString();
        expect(JSON.parse(received)).toEqual(expected(values));
      }
    }),
    propertyRuns(400),
  );
  expect(accepted).toBeGreaterThan(200);
}, 60_000);
