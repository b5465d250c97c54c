import { timeOfRecordId } from '@tocsin/database';
import { alertRecordId, deliveryRecordId, isFailureAtWrite } from './new-deliveries.js';

const alert = { workspace_id: 'w', alert_id: 'a' };
const atMs = Date.UTC(2026, 0, 2);

test('the record id of an alert depends on its time of acceptance, workspace and alert id', () => {
  const id = alertRecordId(atMs, alert);
  const others = [
    alertRecordId(atMs + 1, alert),
    alertRecordId(atMs, { ...alert, workspace_id: 'v' }),
    alertRecordId(atMs, { ...alert, alert_id: 'b' }),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
  expect([alertRecordId(atMs, { ...alert }), timeOfRecordId(id)]).toEqual([id, atMs]);
});

test('the id of a delivery depends on its alert and its webhook', () => {
  const id = deliveryRecordId(atMs, alert, 'hook');
  const others = [
    alertRecordId(atMs, alert),
    deliveryRecordId(atMs + 1, alert, 'hook'),
    deliveryRecordId(atMs, { ...alert, workspace_id: 'v' }, 'hook'),
    deliveryRecordId(atMs, { ...alert, alert_id: 'b' }, 'hook'),
    deliveryRecordId(atMs, alert, 'other'),
  ];
  expect(new Set([id, ...others]).size).toBe(6);
  expect([deliveryRecordId(atMs, { ...alert }, 'hook'), timeOfRecordId(id)]).toEqual([id, atMs]);
});

test.each([
  ['webhook_deleted', true],
  ['over_quota', true],
  ['claimed', false],
  ['queued', false],
  ['waiting', false],
])('a delivery that is planned as %s is written as failed: %s', (state, isFailed) => {
  expect(isFailureAtWrite(state)).toBe(isFailed);
});
