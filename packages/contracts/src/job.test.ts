import type { JSONSchema } from 'json-schema-to-ts';
import { createCheck } from './check.js';
import { createCancellationSchema, createDispatchSchema, createRedeliverySchema } from './job.js';
import { alertOutcomes, deliveryStatuses } from './vocabulary.js';

const accepts = (schema: JSONSchema, body: object) => createCheck(schema)(body).ok;

test('a redelivery job can filter by each status of ended deliveries, and by no other status', () => {
  const accepted = deliveryStatuses.filter((status) => accepts(createRedeliverySchema, { status }));
  expect(accepted).toEqual(['succeeded', 'failed', 'skipped']);
});

test('a dispatch job can filter by each outcome without deliveries, except rule_deleted', () => {
  const accepted = alertOutcomes.filter((outcome) => accepts(createDispatchSchema, { outcome }));
  expect(accepted).toEqual(['rule_disabled', 'no_webhooks', 'over_quota', 'suppressed']);
});

const uuid = '3f0c1f9e-6f0a-4c1e-9a53-2f6d5f1f7a10';
const filters = {
  webhook_id: uuid,
  alert_id: uuid,
  alert_rule_id: uuid,
  status: 'failed',
  status_code: 100,
  outcome: 'suppressed',
  since: '2026-01-31T12:00:00Z',
  until: '2026-01-31T12:00:00Z',
  all: false,
};

test.each<[string, JSONSchema, (keyof typeof filters)[]]>([
  [
    'redelivery',
    createRedeliverySchema,
    ['webhook_id', 'alert_id', 'alert_rule_id', 'status', 'status_code', 'since', 'until', 'all'],
  ],
  ['dispatch', createDispatchSchema, ['alert_rule_id', 'outcome', 'since', 'until', 'all']],
  [
    'cancellation',
    createCancellationSchema,
    ['webhook_id', 'alert_id', 'alert_rule_id', 'since', 'until', 'all'],
  ],
])('a %s job accepts only its own filters, and requires at least one of them', (_, schema, expected) => {
  const accepted = Object.entries(filters).filter(([name, value]) => accepts(schema, { [name]: value }));
  expect(accepted.map(([name]) => name)).toEqual(expected);
  expect(accepts(schema, {})).toBe(false);
});

test('a redelivery job can select any status code from 100 to 999', () => {
  const codes = [99, 100, 999, 1_000, '500'];
  expect(codes.map((status_code) => accepts(createRedeliverySchema, { status_code }))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});
