import { compileTemplate } from '../compile-template.js';
import { alertContext, alertVariables, noticeVariables } from './alert-context.js';
import { sampleFacts } from './sample-facts.js';

function rendered(source: string, context = alertContext(sampleFacts)): string {
  const compiled = compileTemplate(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.template.render(context);
  if (!result.ok) throw new Error(result.error.message);
  return result.output;
}

test('iteration over a context yields all variables and the objects alert, model and alert_rule', () => {
  const context = alertContext(sampleFacts);
  const names = [...alertVariables, 'alert', 'model', 'alert_rule', ...noticeVariables];
  expect([...context.keys()]).toEqual(names);
  expect([...context]).toEqual(names.map((name) => [name, context.get(name)]));
  expect(rendered('{{ alert }}{{ model }}{{ alert_rule }}', new Map(context))).toBe(
    rendered('{{ alert }}{{ model }}{{ alert_rule }}'),
  );
});

test('template variables that only notices set have default values if an alert is rendered', () => {
  const source =
    '{{ event }}|{{ webhook_id }}|{{ webhook_name }}|{{ since }}|{{ error }}|{{ count }}|{{ count + 1 }}';
  expect(rendered(source)).toBe('alert.fired|||||0|1');
  const notice = {
    event: 'webhook.failing',
    webhook_id: 'id',
    webhook_name: 'Chat',
    since: '2026-01-01T00:00:00Z',
    error: 'e',
    count: 7,
  };
  expect(rendered(source, alertContext({ ...sampleFacts, notice }))).toBe(
    'webhook.failing|id|Chat|2026-01-01T00:00:00Z|e|7|8',
  );
});

test('labels and annotations can be printed by name, and a missing one prints nothing', () => {
  const source =
    '{{ labels.team }}|{{ labels["environment"] }}|{{ labels.nobody }}|{{ annotations.link }}|{{ state }}|{{ is_test }}';
  expect(rendered(source)).toBe('risk|production||https://monitor.example.com/runs/42|firing|False');
});

test('the object alert has exactly six members, without state, labels and annotations', () => {
  expect(rendered('{% for name in alert %}{{ name }} {% endfor %}')).toBe(
    'id metric_value threshold bound fired_at workspace_id ',
  );
});

test('a template cannot read members of the facts that are not template variables', () => {
  const facts = { ...sampleFacts, request_id: 'r' };
  expect(rendered('[{{ request_id }}{{ toString }}{{ __proto__ }}]', alertContext(facts))).toBe('[]');
});

test('a template that changes an object of its context does not change the next rendering', () => {
  const context = alertContext(sampleFacts);
  const source = '{% set _ = alert.update({"id": 1}) %}{% for _ in [1, 2] %}{{ alert.id }}{% endfor %}';
  expect([rendered(source, context), rendered(source, context)]).toEqual(['11', '11']);
  expect(rendered('{{ alert.id }}', context)).toBe(sampleFacts.alert_id);
});
