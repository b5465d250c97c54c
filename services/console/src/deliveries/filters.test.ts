import { chipsOf, toCancellation, toFilter, toRedelivery } from './filters.js';

const names = { webhook: (id: string) => `name of ${id}`, alertRule: (id: string) => id };

test('a status code becomes a number and the rest stays as it is', () => {
  expect(toFilter({ status: 'failed', status_code: '503' })).toEqual({ status: 'failed', status_code: 503 });
});

test('a redelivery without a filter says that it means everything', () => {
  expect(toRedelivery({})).toEqual({ status: 'failed', all: true });
  expect(toRedelivery({ status: 'skipped' })).toEqual({ status: 'skipped', all: true });
});

test('a redelivery repeats the filter and takes failed deliveries unless another state is chosen', () => {
  expect(toRedelivery({ webhook_id: 'w' })).toEqual({ status: 'failed', webhook_id: 'w' });
  expect(toRedelivery({ webhook_id: 'w', status: 'succeeded' })).toEqual({
    status: 'succeeded',
    webhook_id: 'w',
  });
});

test('open deliveries cannot be redelivered together', () => {
  expect(toRedelivery({ status: 'waiting' })).toBeUndefined();
});

test('deliveries can be cancelled together where the filter shows open ones', () => {
  expect(toCancellation({ status: 'waiting', webhook_id: 'w' })).toEqual({ webhook_id: 'w' });
  expect(toCancellation({ status: 'queued' })).toEqual({ all: true });
  expect(toCancellation({ webhook_id: 'w' })).toBeUndefined();
  expect(toCancellation({ status: 'failed' })).toBeUndefined();
  expect(toCancellation({ status: 'waiting', status_code: '503' })).toBeUndefined();
});

test.each(['error_code', 'model_id', 'label'] as const)(
  'deliveries that are filtered by %s cannot be redelivered or cancelled together',
  (name) => {
    expect(toRedelivery({ status: 'failed', [name]: 'x' })).toBeUndefined();
    expect(toCancellation({ status: 'waiting', [name]: 'x' })).toBeUndefined();
  },
);

test('a label becomes a list of one', () => {
  expect(toFilter({ label: 'team:a:b' })).toEqual({ label: ['team:a:b'] });
});

test('chips show names instead of ids', () => {
  expect(chipsOf({ webhook_id: 'w', status: 'failed' }, names)).toEqual([
    { name: 'status', text: 'Failed' },
    { name: 'webhook_id', text: 'webhook name of w' },
  ]);
});
