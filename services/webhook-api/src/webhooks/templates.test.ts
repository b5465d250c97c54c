import { createTemplates } from './templates.js';

const templates = createTemplates();
const rendered = (body: string, context: Record<string, unknown> = {}) => {
  const result = templates.render(body, context);
  return result.ok ? JSON.parse(result.rendered) : result;
};

test('the ten variables are there without a context', () => {
  expect(rendered('{"n": "{{ alert_rule_name }}", "v": {{ metric_value }}}')).toEqual({
    n: expect.stringMatching(/\S/),
    v: expect.any(Number),
  });
});

test('a given variable is as at a real firing: a float, and the same in the objects', () => {
  const body =
    '["{{ threshold }}", "{{ alert.threshold }}", "{{ alert_rule.threshold }}", "{{ model.name }}"]';
  expect(rendered(body, { threshold: 5, model_name: 'M' })).toEqual(['5.0', '5.0', '5.0', 'M']);
});

test('other variables are whatever JSON says, also in place of one of the ten', () => {
  expect(rendered('"{{ n }} {{ l[1].a }} {{ none }}"', { n: 5, l: [0, { a: true }], none: null })).toBe(
    '5 True None',
  );
  expect(rendered('"{{ metric_value }}"', { metric_value: 'high' })).toBe('high');
  expect(rendered('"{{ alert }}"', { alert: 'mine' })).toBe('mine');
});

test('names of what every object inherits are unknown variables', () => {
  expect(rendered('"{{ constructor }}{{ toString }}{{ hasOwnProperty }}"', { constructor: 'given' })).toBe(
    'given',
  );
});

test('a syntax error tells its line and column; one while rendering too', () => {
  expect(templates.render('{\n  "a": {{ x | nosuch }}}', {})).toMatchObject({
    ok: false,
    code: 'template_error',
    message: expect.stringMatching(/^line 2, column \d+: /),
    rendered: null,
  });
  expect(templates.render('{{ 1 / 0 }}', {})).toMatchObject({ code: 'template_error', rendered: null });
});

test('what comes out is shown also where it is not JSON', () => {
  expect(templates.render('{{ model_name }}', { model_name: 'M' })).toMatchObject({
    code: 'invalid_json',
    rendered: 'M',
  });
  expect(templates.render('{"a":\n {{ model_name }}}', {})).toMatchObject({
    code: 'invalid_json',
    message: expect.stringMatching(/^line 2, column \d+: .*model_name/),
  });
});

test('a template that breaks with odd values is refused at its place, one that survives them is not', () => {
  expect(templates.checkTemplate('{"a": "{{ alert_rule_name }}"}')).toEqual({ problems: [], warnings: [] });
  for (const body of [
    '{"a": {{ alert_rule_name }}}',
    '{"a": {% if bound == "upper_bound" %}x{% else %}1{% endif %}}',
    '{"a": {{ nosuch() }}}',
    '{"a": ',
    '',
  ]) {
    expect(templates.checkTemplate(body).problems).toEqual([
      expect.stringMatching(/^line \d+, column \d+: /),
    ]);
  }
});

test('an unknown name and a quoted number are warnings, with their place', () => {
  expect(templates.checkTemplate('{"a": {{ metric_vlaue }},\n "b": "{{ threshold }}"}')).toEqual({
    problems: [],
    warnings: [
      expect.stringMatching(/^body: line 1, column \d+: .*metric_vlaue/),
      expect.stringMatching(/^body: line 2, column \d+: .*threshold/),
    ],
  });
});
