import { createBodyCompiler } from '@tocsin/template';
import { renderContext } from './render-context.js';

function render(source: string, given: Record<string, unknown>): string {
  const compiled = createBodyCompiler()(source);
  const result = compiled.ok ? compiled.template.render(renderContext(given)) : compiled;
  return result.ok ? result.output : result.error.message;
}

test('the threshold of an alert overrides the threshold in the alert_rule of its message', () => {
  const message = {
    type: 'alert.fired',
    alert_rule_id: 'r',
    metric_value: 5,
    threshold: 4,
    alert_rule: {
      name: 'drift',
      enabled: true,
      threshold: 3,
      bound: 'lower_bound',
      notification_webhook_ids: [],
    },
  };
  const source =
    '{{ alert_rule_name }} {{ alert_rule.name }} {{ alert_rule.id }} {{ metric_value }} {{ threshold }} {{ bound }}';
  expect(render(source, message)).toBe('drift drift r 5.0 4.0 lower_bound');
  const more = '{{ state }} {{ labels.team }} {{ annotations | length }}';
  expect(render(more, message)).toBe('firing  0');
  expect(render(more, { ...message, state: 'resolved', labels: { team: 'risk' } })).toBe('resolved risk 0');
});

test('given variables replace sample values, and an integer metric_value becomes a float', () => {
  expect(
    render('{{ metric_value }} {{ extra.n }} {{ model_name }}', {
      metric_value: 7,
      extra: { n: 7 },
      model_name: 'm',
    }),
  ).toBe('7.0 7 m');
  expect(render('{{ model.name }}', { model_name: 'm' })).toBe('m');
  expect(render('{{ metric_value }}', { metric_value: 'text' })).toBe('text');
});

test('variables named like inherited object properties are undefined', () => {
  expect(render('{{ constructor }}|{{ toString }}', {})).toBe('|');
  expect(render('{{ x }}', JSON.parse('{"__proto__": {"x": 1}}'))).toBe('');
});
