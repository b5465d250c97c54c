import { toDispatch, toFilter } from './filters.js';

test('toFilter converts a label to a list with one label and keeps the other values', () => {
  expect(toFilter({ label: 'team:a:b', model_id: 'm' })).toEqual({ label: ['team:a:b'], model_id: 'm' });
});

test('bulk dispatch is available only if the filter selects alerts without deliveries', () => {
  expect(toDispatch({ outcome: 'suppressed', alert_rule_id: 'r' })).toEqual({
    outcome: 'suppressed',
    alert_rule_id: 'r',
  });
  expect(toDispatch({ outcome: 'dispatched' })).toBeUndefined();
  expect(toDispatch({ alert_rule_id: 'r' })).toBeUndefined();
});

test.each(['label', 'model_id'] as const)('bulk dispatch is not available with a filter by %s', (name) => {
  expect(toDispatch({ outcome: 'suppressed', [name]: 'x' })).toBeUndefined();
});
