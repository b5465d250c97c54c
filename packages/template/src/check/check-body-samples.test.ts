import { checkBody, errorOf, warningsOf } from '../../test/support/check-body.js';
import { sampleFacts } from '../alert/sample-facts.js';
import { checkBody as checkBodyWithDefaults, createBodyChecker } from './check-body.js';

const { jest } = import.meta;

test('a body is rejected if the first or last item that random can choose makes it invalid', () => {
  expect(warningsOf('{"a": {{ [1, 2] | random }}}')).toEqual([]);
  expect(errorOf('{"a": {{ [1, "two"] | random }}}')).toContain('text outside of quotes');
  expect(errorOf('{"a": {{ ["one", 2] | random }}}')).toContain('text outside of quotes');
  expect(errorOf('{"a": {{ [] | random }}}')).toContain('No random item, sequence was empty');
});

test('both branches of a condition on `bound` are checked with every sample alert', () => {
  // This expression fails only for the sample alert with an empty model name.
  const part = '"{{ model_name | first | indent }}"';
  for (const bound of ['upper_bound', 'lower_bound'])
    expect(errorOf(`{"a": {% if bound == "${bound}" %}${part}{% else %}1{% endif %}}`)).toContain(
      'sequence was empty',
    );
});

test('a body that renders to JSON for only one of the two values of `bound` is rejected', () => {
  expect(errorOf('{"a": {% if bound == "lower_bound" %}1{% endif %}}')).toContain('not JSON');
});

test.each(['upper_bound', 'lower_bound'])(
  'a branch for %s is checked even if `bound` has the other value in all given sample alerts',
  (bound) => {
    const other = bound === 'upper_bound' ? 'lower_bound' : 'upper_bound';
    const check = createBodyChecker({ samples: [{ ...sampleFacts, bound: other }] });
    expect(check(`{"a": {% if bound == "${bound}" %}x{% else %}1{% endif %}}`).ok).toBe(false);
  },
);

test('a check fails with overran: true if all sample alerts together take more than 250 ms', () => {
  let nowMs = 0;
  // The clock advances by 2 ms at each reading. It is read every 1,024 steps, which is 28 times for each of the five
  // sample alerts. Rendering all five alerts would therefore take 280 ms, more than the limit of 250 ms.
  const check = createBodyChecker({ now: () => (nowMs += 2) });
  const body = '[{% for i in range(29000) %}{% endfor %}1]';
  expect(check(body)).toMatchObject({ ok: false, overran: true });
  expect(checkBody(body)).toMatchObject({ ok: true });
  expect(check('{{')).toMatchObject({ ok: false, overran: false, warnings: [] });
});

test('a body is rendered more than once for a sample alert only if it uses bound or random', () => {
  let nowMs = 0;
  // The clock advances by 1 ms at each reading, and one rendering reads it 28 times. One rendering of each of the five
  // sample alerts takes 140 ms. Two renderings of each alert would exceed the limit of 250 ms.
  const check = createBodyChecker({ now: () => (nowMs += 1) });
  const body = '[{% for i in range(29000) %}{% endfor %}1]';
  expect(check(body)).toMatchObject({ ok: true });
  expect(check(body.replace('1', '{{ threshold | int if bound }}'))).toMatchObject({ overran: true });
  expect(check(body.replace('1', '{{ [1] | random }}'))).toMatchObject({ overran: true });
});

test('the default check uses the clock of the process and the default sample alerts', () => {
  const body = '[{% for i in range(29000) %}{% endfor %}1]';
  expect(checkBodyWithDefaults('{"a": "{{ metric_value }}"}')).toEqual(
    checkBody('{"a": "{{ metric_value }}"}'),
  );
  let nowMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 2));
  expect(checkBodyWithDefaults(body)).toMatchObject({ ok: false, overran: true });
  clock.mockRestore();
});

test('a check with custom sample alerts finds an error that only these alerts cause', () => {
  const source = '{"a": {{ {"Churn": "no"}[model_name] | default(1) | safe }}}';
  const churn = { ...sampleFacts, model_name: 'Churn' };
  expect(createBodyChecker()(source).ok).toBe(true);
  expect(createBodyChecker({ samples: [churn] })(source)).toMatchObject({ ok: false, errors: [{ line: 1 }] });
});
