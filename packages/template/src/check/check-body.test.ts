import { checkBody, errorOf, warningsOf } from '../../test/support/check-body.js';
import { readMarked } from '../../test/support/marked-text.js';

test('a body that is JSON for every sample alert is accepted without warnings', () => {
  const body =
    '{"text": "{{ alert_rule_name }}: {{ metric_value | round(2) }}", "value": {{ metric_value }}}';
  expect(checkBody(body)).toEqual({ ok: true, warnings: [] });
});

test.each([
  [
    '{"a": {{ ▸model_name }}}',
    '{{ model_name }} prints text outside of quotes; write "{{ model_name }}" or {{ model_name | tojson }}',
  ],
  [
    '{"a": {{ ▸metric_value > threshold }}}',
    'as Python writes it; write {{ (metric_value > threshold) | tojson }}',
  ],
  ['{"a": {{ ▸model }}}', 'prints a Python value; write {{ model | tojson }}'],
  ['{"a": "{{ ▸model_name | safe }}"}', 'remove "| safe"'],
  ['{\n  "a": {{ metric_value }}▸,\n}', 'a comma before a closing bracket is not allowed'],
  ['{"a": "x▸\ny"}', 'write \\n or \\t'],
  ['{"a": 1 ▸"b": 2}', 'a comma or a closing bracket is expected here'],
  ['{"a": 1▸', 'the result ends here'],
  ['▸', 'the result is empty'],
  ['{"a": {{ metric_value | ▸rond(1) }}}', "No filter named 'rond'. Did you mean 'round'?"],
  ['{"a": {{ metric_value is ▸noen }}}', "No test named 'noen'. Did you mean 'none'?"],
  ['{% for x in [1] %}{{ x }}▸', "Looking for the following tags: 'endfor' or 'else'"],
  ['{% ▸fro x in [1] %}{% endfor %}', "Encountered unknown tag 'fro'. Did you mean 'for'?"],
  [
    '{"a": {{ model.▸nmae.first }}}',
    "'model' has no member 'nmae', so the template fails. Did you mean 'name'?",
  ],
  ['{"a": {{ metric_value ▸/ 0 }}}', 'division by zero'],
  ["{% ▸include 'x' %}", 'there is no loader'],
  [
    '{"a": {{ threshold }},\n "b": {% ▸filter upper %}x{% endfilter %}}',
    '{{ … }} prints text outside of quotes',
  ],
])('the error of the body %j is at the position of ▸ and states the reason', (marked, message) => {
  const { text, line, column } = readMarked(marked);
  const error = errorOf(text);
  expect(error).toContain(message);
  expect(error.startsWith(`${line}:${column} `)).toBe(true);
});

test('an error shows the source line with a caret below the position of the error', () => {
  const check = checkBody('{\n  "a": {{ model_name }}\n}');
  expect(check).toMatchObject({ ok: false, errors: [{ excerpt: '  "a": {{ model_name }}\n          ^' }] });
});

test('the line number of an error is correct in a body with CRLF line endings', () => {
  expect(errorOf('{\r\n  "a": {{ model_name }}\r\n}').startsWith('2:11 ')).toBe(true);
});

test('a mistyped name inside quotes causes a warning with a similar name', () => {
  expect(warningsOf('{"a": "{{ metric_vlaue }}", "b": "{{ alert.bonud }} {{ alert[\'modle\'] }}"}')).toEqual([
    "1:11 there is no variable 'metric_vlaue'; it prints nothing. Did you mean 'metric_value'?",
    "1:44 'alert' has no member 'bonud'; it prints nothing. Did you mean 'bound'?",
    "1:62 'alert' has no member 'modle'; it prints nothing. Did you mean 'model'?",
  ]);
});

test.each([
  ['{"a": {{ ▸metricvalue }}}', 'metric_value'],
  ['{"a": {{ alert.▸modle }}}', 'model'],
  ['{"a": {{ alert[▸"treshold"] }}}', 'threshold'],
  ['{"a": {{ ▸metricvalue | round }}}', 'metric_value'],
  ['{"a": {{ ▸metricvalue | upper }}}', 'metric_value'],
  ['{"a": {{ ▸metricvalue | tojson }}}', 'metric_value'],
  ['{"a": {{ ▸metricvalue + 1 }}}', 'metric_value'],
  ['{"a": {{ ▸metricvalue | safe }}}', 'metric_value'],
  ['{"a": {{ metricvalue | default(▸tresholdd) }}}', 'threshold'],
  ['{"a": {{ "%.2f" | format(▸metricvalue) }}}', 'metric_value'],
  ['{"a": {{ 1 if ▸metricvalue }}}', 'metric_value'],
  ['{"a": {{ metricvalue if ▸boundd == "lower_bound" }}}', 'bound'],
  ['{"a": {% if ▸metricvalue %}1{% endif %}}', 'metric_value'],
  ['{"a": {% if ▸boundd == "lower_bound" %}1{% elif boundd %}2{% endif %}}', 'bound'],
  ['{"a": {% for x in ▸modelname %}1{% endfor %}}', 'model_name'],
  ['{% for x in ▸modelname %}1{% endfor %}', 'model_name'],
  ['{% set x = ▸metricvalue %}{"a": {{ x }}}', 'metric_value'],
  ['{% set x %}{{ ▸metricvalue }}{% endset %}{"a": {{ x }}}', 'metric_value'],
  ['{% macro m(v) %}{"v": {{ v }}}{% endmacro %}[{{ m(1) }}, {{ m(▸metricvalue) }}]', 'metric_value'],
  ['{% macro m(v=▸metricvalue) %}{"v": {{ v }}}{% endmacro %}{{ m() }}', 'metric_value'],
  ['{"a": {{ ▸value }}}', 'metric_value'],
  ['{"a": {{ ▸rule_name }}}', 'alert_rule_name'],
  ['{"t": "{{ metricvalue }}",\n "a": {{ ▸metricvalue }}}', 'metric_value'],
  ['{"t": "{{ teem }}", "a": {{ ▸metricvalue }}}', 'metric_value'],
])('the error of the body %s is at the position of ▸ and suggests the most similar name', (marked, name) => {
  const { text, line, column } = readMarked(marked);
  const start = `^${line}:${column} (there is no variable|'alert' has no member) `;
  expect(errorOf(text)).toMatch(new RegExp(start));
  expect(errorOf(text)).toContain(`Did you mean '${name}'?`);
});

test('the error for an unknown name without a similar name lists all names', () => {
  expect(errorOf('{"a": {{ severity }}}')).toBe(
    "1:10 there is no variable 'severity', so the result is not JSON. The variables are alert_rule_name, " +
      'alert_rule_id, model_name, model_id, metric_value, threshold, bound, alert_id, fired_at, workspace_id, state, ' +
      'labels, annotations, is_test, alert, model, alert_rule, event, webhook_id, webhook_name, since, error and count.',
  );
  expect(errorOf('{"a": {% if severity == "high" %}1{% endif %}}')).toMatch(/^1:13 there is no variable/);
  expect(errorOf('{"a": {{ model.owner }}}')).toContain("'model' has id and name.");
});

test('an unknown member gets a suggestion, even if the object is read through another variable', () => {
  const nmae =
    "1:29 the result is not JSON: {{ m.nmae }} prints nothing here ('dict object' has no attribute 'nmae'. Did you mean 'name'?)";
  expect(errorOf('{% set m = model %}{"a": {{ m.nmae }}}')).toContain(nmae);
  expect(errorOf('{% set m = model %}{"a": {{ m.nmae.x }}}')).toContain("Did you mean 'name'?");
});

test('a template is rejected if it prints a variable that only one branch or a loop sets', () => {
  const branch = '{% if bound == "upper_bound" %}{% set x = 1 %}{% endif %}{"a": {{ x }}}';
  expect(errorOf(branch)).toBe(
    "1:67 the variable 'x' has no value here, so the result is not JSON. Set it in every branch and outside of loops and macros.",
  );
  expect(errorOf('{% for i in [1] %}{% set x = i %}{% endfor %}{"a": {{ x }}}')).toContain("variable 'x'");
});

test('an error message does not blame an unknown name that did not cause the error', () => {
  expect(errorOf('{"t": "{{ teem }}", "a": {{ model_name }}}')).toContain('text outside of quotes');
  expect(errorOf('{% if debug %}{"a": 1}{% else %}{"a": {{ model_name }}}{% endif %}')).toContain(
    'text outside of quotes',
  );
  expect(errorOf('{"t": "{{ teem }}", "a": {{ metric_value / 0 }}}')).toContain('division by zero');
  expect(errorOf('{"a": {% if bound == "upper_bound" %}"{{ teem }}"{% endif %}}')).not.toContain('teem');
  expect(errorOf('{"a": {{ teem | default("x") }}}')).toContain('text outside of quotes');
});

test.each([
  '{"a": {{ metricvalue | default(0) }}}',
  '{"a": "{{ team | default(\'on-call\') }}"}',
  '{"a": "{{ team | d(\'on-call\', true) }}"}',
  '{"a": "{{ alert.team | default(\'on-call\') }}"}',
  '{"a": "{{ (team or squad) | default(\'on-call\') }}"}',
  '{"a": "{{ team | upper | default(\'on-call\', true) }}"}',
  '{"a": "{{ team | default(squad) | default(\'on-call\') }}"}',
])('the body %s causes no warning, because its unknown names have a default', (body) => {
  expect(warningsOf(body)).toEqual([]);
});

test.each([
  '[{% for x in itmes %}{{ x }}{% endfor %}]',
  '{"a": {% if metricvalue %}1{% else %}2{% endif %}}',
  '{"a": {% if metricvalue is defined %}{{ metricvalue }}{% else %}null{% endif %}}',
  '{% if threshold == 12345 %}{"a": {{ metricvalue }}}{% else %}{"a": 1}{% endif %}',
  '{"a": "{{ metricvalue | round(2) }}"}',
])('the body %s is accepted with a warning, because it is JSON for every alert', (body) => {
  expect(warningsOf(body)).toEqual([expect.stringMatching(/there is no variable '(itmes|metricvalue)'/)]);
});

test('names that the template sets cause no warnings', () => {
  const body =
    '{% set x = 1 %}{% macro m(y) %}{{ y }}{% endmacro %}{% for z in range(2) %}{% endfor %}{"a": {{ m(x) }}}';
  expect(warningsOf(body)).toEqual([]);
});

test('a float alone inside quotes causes a warning, and a float in a longer text does not', () => {
  const body = '{"a": "{{ metric_value }}", "b": "at {{ metric_value }}"}';
  expect(warningsOf(body)).toEqual([
    '1:11 {{ metric_value }} is a number inside quotes, so the destination gets text; leave the quotes out if it expects a number.',
  ]);
});

test('a duplicate key causes a warning at its second occurrence', () => {
  expect(warningsOf('{"a": 1, "a": 2}')).toEqual([
    '1:10 the key "a" appears twice in the same object; most destinations read only the last one.',
  ]);
});

test('the warning about a duplicate key points to the tag or the text that prints the key', () => {
  const keyPlaces = (source: string) => warningsOf(source).map((warning) => warning.split(' ')[0]);
  expect(keyPlaces(`{{ '{"a": 1, "a": 2}' | safe }}`)).toEqual(['1:25']);
  expect(keyPlaces('{"a": 1, {% if true %}"a": 2{% endif %}}')).toEqual(['1:23']);
  expect(keyPlaces('{"a": {{ threshold }}, "b": {{ threshold }}, "b": 1, "a": 2}')).toEqual(['1:46', '1:54']);
});

test('repeated warnings inside a loop do not hide the warnings after the loop', () => {
  const body = '[{% for i in range(50) %}{"k": 1, "k": 2},{% endfor %}{"last": 1, "last": 2}]';
  expect(warningsOf(body)).toEqual([
    expect.stringContaining('the key "k" appears twice'),
    expect.stringContaining('the key "last" appears twice'),
  ]);
});

test.each([
  '{"t": "{{ x }}", "a": {{ "a" if ▸x or x else 1 / 0 }}}',
  '{"t": "{{ x }}", {% set y = "a" if ▸x or x else 1 / 0 %}"a": 1}',
])('the error of the body %s points to the first use of the unknown name in the failing tag', (marked) => {
  const { text, line, column } = readMarked(marked);
  expect(errorOf(text)).toContain(`${line}:${column} there is no variable 'x', so the template fails.`);
});

test('the error for a template that exceeds its budget states the limit and gives advice', () => {
  expect(
    errorOf('{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}'),
  ).toContain('exceeds its budget: it takes more than 30000 steps; use fewer and shorter loops');
});

test('at most the first 20 warnings are returned', () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `"{{ x${index} }}"`);
  const warnings = warningsOf(`[${names.join(',')}]`);
  expect(warnings).toHaveLength(20);
  expect(warnings[0]).toMatch(/^1:6 there is no variable 'x0'/);
  const ofThreeKinds = Array.from(
    { length: 15 },
    (_, index) => `{"a": "{{ y${index} }}", "k": "{{ threshold }}", "k": 1}`,
  );
  expect(warningsOf(`[${ofThreeKinds.join(',')}]`)).toHaveLength(20);
});

test('a warning inside a loop is returned once', () => {
  const body = '[{% for i in range(50) %}"{{ metric_value }}",{"k": 1, "k": {{ i }}},{% endfor %}1]';
  expect(warningsOf(body)).toEqual([
    expect.stringMatching(/^1:30 .* is a number inside quotes/),
    expect.stringMatching(/^1:56 the key "k" appears twice/),
  ]);
});
