import { alertContext } from './alert/alert-context.js';
import { sampleFacts } from './alert/sample-facts.js';
import { bodyOptions } from './body-options.js';
import { Budget, defaultLimits } from './budget.js';
import { createTemplateCompiler } from './compile-template.js';
import { fromJson } from './values/from-json.js';

/** The clock always returns 0, so that only the deterministic limits end a rendering. */
const compile = createTemplateCompiler({ ...bodyOptions, now: () => 0 });
const labels = fromJson(
  Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`label_${index}`, 'x'.repeat(256)])),
);

function measure(source: string) {
  const compiled = compile(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.template.measure(new Map([...alertContext(sampleFacts), ['labels', labels]]));
}

test.each([
  '{"labels": [{% for k, v in labels.items() %}{"{{ k }}": "{{ v }}"}{{ "," if not loop.last }}{% endfor %}]}',
  '{"labels": {{ labels | tojson }}}',
  '{"labels": "{{ labels.values() | join(", ") }}"}',
  '{% macro row(k, v) %}"*{{ k }}*\\n{{ v }}"{% endmacro %}[{% for k, v in labels.items() %}{{ row(k, v) }},{% endfor %}1]',
  '[{% for k, v in labels | dictsort %}"{{ k | upper | replace("_", " ") }}: {{ v | urlencode }}",{% endfor %}1]',
])('a body with 20 labels of 256 characters uses less than a tenth of the budget: %s', (source) => {
  const { result, steps } = measure(source);
  expect(result).toMatchObject({ ok: true });
  expect(steps).toBeLessThan(defaultLimits.steps / 10);
});

test('the steps of joining strings grow linearly with the length of the result', () => {
  const joined = (count: number) => measure(`{{ range(${count}) | join(", ") }}`).steps;
  expect(joined(2_000)).toBeLessThan(joined(1_000) * 2.5);
});

test.each([
  's | e',
  's | forceescape',
  's.expandtabs(10 ** 400)',
  'captured.removeprefix("a")',
  'captured.removesuffix("\\"")',
  's is sameas equal',
  's in [equal]',
  '"" | wordwrap(9, true, s)',
  '("%f" | e) % spaces',
])('a step is charged for every 16 characters that the expression %s reads', (expression) => {
  const cost = (length: number) => {
    const before = [
      `{% set s = "a" * ${length} %}{% set equal = "a" * ${length - 1} ~ "a" %}`,
      `{% set spaces = " " * ${length} ~ 1 %}{% set captured %}{{ s }}"{% endset %}`,
    ].join('');
    return measure(`${before}{% set _ = ${expression} %}`).steps - measure(before).steps;
  };
  expect(cost(16_016) - cost(16)).toBeGreaterThanOrEqual(1_000);
});

test('a length that is not a number exceeds the limits of texts and lists', () => {
  const budget = new Budget(defaultLimits, () => 0);
  expect(() => budget.string(Number.NaN)).toThrow('a text would be longer');
  expect(() => budget.list(Number.NaN)).toThrow('a list would have more');
});

test('the error for a rendering with too many steps states the limit and gives advice', () => {
  const { result, steps } = measure('{% for i in range(100000) %}{{ i }}{% endfor %}');
  expect(steps).toBe(defaultLimits.steps + 1);
  expect(result).toMatchObject({
    ok: false,
    error: {
      kind: 'template_error',
      type: 'BudgetExceeded',
      message:
        'the template exceeds its budget: it takes more than 30000 steps; use fewer and shorter loops, lists and texts',
    },
  });
});
