import { toDispatch, toFilter } from './filters.js';

test('toFilter converts a label to a list with one label and keeps the other values', () => {
  expect(toFilter({ label: 'team:a:b', model_id: 'm' })).toEqual({ label: ['team:a:b'], model_id: 'm' });
});

test('bulk dispatch is available only with a filter for an outcome that allows dispatch by hand', () => {
  expect(toDispatch({ outcome: 'suppressed', alert_rule_id: 'r' })).toEqual({
    outcome: 'suppressed',
    alert_rule_id: 'r',
  });
  expect(toDispatch({ outcome: 'dispatched' })).toBeUndefined();
  expect(toDispatch({ alert_rule_id: 'r' })).toBeUndefined();
});

test.each(['label', 'model_id'] as const)('alerts filtered by %s cannot be dispatched in bulk', (name) => {
  expect(toDispatch({ outcome: 'suppressed', [name]: 'x' })).toBeUndefined();
});
