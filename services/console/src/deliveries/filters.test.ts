import { chipsOf } from '../shared/filter-chips.js';
import { chipTexts, toCancellation, toFilter, toRedelivery } from './filters.js';

const names = { webhook: (id: string) => `name of ${id}`, alertRule: (id: string) => id };

test('toFilter converts the status code to a number and keeps the other values', () => {
  expect(toFilter({ status: 'failed', status_code: '503' })).toEqual({ status: 'failed', status_code: 503 });
});

test('the request of a bulk redelivery contains `all: true` if no filter but the status is set', () => {
  expect(toRedelivery({})).toEqual({ status: 'failed', all: true });
  expect(toRedelivery({ status: 'skipped' })).toEqual({ status: 'skipped', all: true });
});

test('a bulk redelivery uses the filter of the list, and selects failed deliveries by default', () => {
  expect(toRedelivery({ webhook_id: 'w' })).toEqual({ status: 'failed', webhook_id: 'w' });
  expect(toRedelivery({ webhook_id: 'w', status: 'succeeded' })).toEqual({
    status: 'succeeded',
    webhook_id: 'w',
  });
});

test('bulk redelivery is not available with a filter for an open state', () => {
  expect(toRedelivery({ status: 'waiting' })).toBeUndefined();
});

test('bulk cancellation is available only with a filter for the state waiting or queued', () => {
  expect(toCancellation({ status: 'waiting', webhook_id: 'w' })).toEqual({ webhook_id: 'w' });
  expect(toCancellation({ status: 'queued' })).toEqual({ all: true });
  expect(toCancellation({ webhook_id: 'w' })).toBeUndefined();
  expect(toCancellation({ status: 'failed' })).toBeUndefined();
  expect(toCancellation({ status: 'waiting', status_code: '503' })).toBeUndefined();
});

test.each(['error_code', 'model_id', 'label'] as const)(
  'bulk redelivery and cancellation are not available if deliveries are filtered by %s',
  (name) => {
    expect(toRedelivery({ status: 'failed', [name]: 'x' })).toBeUndefined();
    expect(toCancellation({ status: 'waiting', [name]: 'x' })).toBeUndefined();
  },
);

test('toFilter converts a label to a list with one label', () => {
  expect(toFilter({ label: 'team:a:b' })).toEqual({ label: ['team:a:b'] });
});

test('filter chips show the names of webhooks instead of their ids', () => {
  expect(chipsOf({ webhook_id: 'w', status: 'failed' }, chipTexts(names))).toEqual([
    { name: 'status', text: 'Failed' },
    { name: 'webhook_id', text: 'webhook name of w' },
  ]);
});
