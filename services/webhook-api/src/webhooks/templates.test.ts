import { bodySizeProblem, createTemplates } from './templates.js';

const templates = createTemplates();
const render = (body: string, context?: Record<string, unknown>) => templates.render('w', body, { context });
const rendered = (body: string, context?: Record<string, unknown>) => {
  const result = render(body, context);
  return result.error === null ? JSON.parse(result.rendered ?? '') : result;
};
const check = (body: string) => templates.check('w', body);

test('a template is rendered with sample values by default', () => {
  expect(rendered('{"n": "{{ alert_rule_name }}", "v": {{ metric_value }}}')).toEqual({
    n: expect.stringMatching(/\S/),
    v: expect.any(Number),
  });
});

test('a given threshold replaces the sample value, also in alert and in alert_rule', () => {
  const body =
    '["{{ threshold }}", "{{ alert.threshold }}", "{{ alert_rule.threshold }}", "{{ model.name }}"]';
  expect(rendered(body, { threshold: 5, model_name: 'M' })).toEqual(['5.0', '5.0', '5.0', 'M']);
});

test('given values keep their JSON type, even if the replaced sample value has another type', () => {
  expect(rendered('"{{ n }} {{ l[1].a }} {{ none }}"', { n: 5, l: [0, { a: true }], none: null })).toBe(
    '5 True None',
  );
  expect(rendered('"{{ metric_value }}"', { metric_value: 'high' })).toBe('high');
  expect(rendered('"{{ alert }}"', { alert: 'mine' })).toBe('mine');
});

test('names of inherited object members, for example toString, are unknown variables', () => {
  expect(rendered('"{{ constructor }}{{ toString }}{{ hasOwnProperty }}"', { constructor: 'given' })).toBe(
    'given',
  );
});

test('a template error is reported with line and column, without a rendered text', () => {
  expect(render('{\n  "a": {{ x | nosuch }}}')).toEqual({
    error: expect.stringMatching(/^template_error: line 2, column \d+: /),
    rendered: null,
  });
  expect(render('{{ 1 / 0 }}')).toEqual({
    error: expect.stringMatching(/^template_error: /),
    rendered: null,
  });
});

test('a rendered text that is not JSON is shown with its error', () => {
  expect(render('{{ model_name }}', { model_name: 'M' })).toEqual({
    error: expect.stringMatching(/^invalid_json: /),
    rendered: 'M',
  });
  expect(render('{"a":\n {{ model_name }}}')).toMatchObject({
    error: expect.stringMatching(/^invalid_json: line 2, column \d+: .*model_name/),
  });
});

test('a body that renders to JSON for only some sample alerts, or for none, is rejected', () => {
  expect(check('{"a": "{{ alert_rule_name }}"}')).toEqual({ problems: [], warnings: [], timedOut: false });
  for (const body of [
    '{"a": {{ alert_rule_name }}}',
    '{"a": {% if bound == "upper_bound" %}x{% else %}1{% endif %}}',
    '{"a": {{ nosuch() }}}',
    '{"a": ',
    '',
  ]) {
    expect(check(body).problems).toEqual([expect.stringMatching(/^line \d+, column \d+: /)]);
  }
});

test('a preview reports why a body cannot be saved, even if it renders for the previewed alert', () => {
  const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  for (const body of [nested, '{"a": {% if bound == "upper_bound" %}x{% else %}1{% endif %}}'])
    expect(templates.preview('w', body)).toMatchObject({
      error: `template_error: the body cannot be saved: ${check(body).problems[0]}`,
      rendered: expect.stringMatching(/\S/),
    });
  expect(templates.preview('w', nested, {}).error).toMatch(/nested too deeply/);
  const withGivenName = '{"a": {{ mine }}}';
  expect(templates.preview('w', withGivenName).error).toMatch(/^invalid_json: /);
  expect(templates.preview('w', withGivenName, { mine: 5 })).toMatchObject({
    error: null,
    rendered: '{"a": 5}',
  });
});

test('an unknown name and a quoted number cause warnings with their position', () => {
  expect(check('{"a": "{{ metric_vlaue }}",\n "b": "{{ threshold }}"}')).toMatchObject({
    problems: [],
    warnings: [
      expect.stringMatching(/^body: line 1, column \d+: .*metric_vlaue/),
      expect.stringMatching(/^body: line 2, column \d+: .*threshold/),
    ],
  });
});

test('an unknown name as a JSON value is rejected, with the most similar name', () => {
  expect(check('{"a": {{ metricvalue }}}').problems).toEqual([
    "line 1, column 10: there is no variable 'metricvalue', so the result is not JSON. Did you mean 'metric_value'?",
  ]);
});

test('the random choices of a rendering depend on the id of the alert', () => {
  const body = '{"a": {{ range(100000) | random }}}';
  const [first, again] = [rendered(body), rendered(body)];
  expect(again).toEqual(first);
  expect(rendered(body, { alert_id: 'b9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11' })).not.toEqual(first);
});

test('a template can have at most 65,536 bytes of UTF-8', () => {
  const [longest, longestAccented] = ['x'.repeat(65_536), 'é'.repeat(32_768)];
  for (const body of [longest, longestAccented]) {
    expect(bodySizeProblem(body)).toBeUndefined();
    expect(bodySizeProblem(`${body}x`)).toBe('must be at most 65536 bytes');
  }
});
