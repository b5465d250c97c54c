import { toDispatch, toFilter } from './filters.js';

test('a label becomes a list of one and the rest stays as it is', () => {
  expect(toFilter({ label: 'team:a:b', model_id: 'm' })).toEqual({ label: ['team:a:b'], model_id: 'm' });
});

test('alerts can be dispatched together where the filter shows alerts without deliveries', () => {
  expect(toDispatch({ outcome: 'suppressed', alert_rule_id: 'r' })).toEqual({
    outcome: 'suppressed',
    alert_rule_id: 'r',
  });
  expect(toDispatch({ outcome: 'dispatched' })).toBeUndefined();
  expect(toDispatch({ alert_rule_id: 'r' })).toBeUndefined();
});

test.each(['label', 'model_id'] as const)(
  'alerts that are filtered by %s cannot be dispatched together',
  (name) => {
    expect(toDispatch({ outcome: 'suppressed', [name]: 'x' })).toBeUndefined();
  },
);
