import { randomUUID } from 'node:crypto';
import type { Alert, Delivery } from '@tocsin/contracts';
import { insertAlertRule, insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';
import { seedAlert } from './support/history.js';

interface Dispatched extends Problem {
  alert_id: string;
  deliveries: Delivery[];
}

const alerts = `/api/v1/workspaces/${workspaceId}/alerts`;

const api = useApi();

const dispatch = (alertId: string, as: 'editor' | 'reader' | 'publisher' | 'outsider' = 'editor') =>
  api.call<Dispatched>('POST', `${alerts}/${alertId}/dispatch`, { as });
const read = async (alertId: string) => (await api.call<Alert>('GET', `${alerts}/${alertId}`)).body;
const deliveriesOf = (alertId: string) => api.database.knex('deliveries').where({ alert_id: alertId });
const addWebhook = (workspace = workspaceId) => insertWebhook(api.database, { workspaceId: workspace });
const addRule = (webhookIds: string[], options: { enabled?: boolean; deleted?: boolean } = {}) =>
  insertAlertRule(api.database, { workspaceId, webhookIds, ...options });
const changeRule = (id: string, change: object) =>
  api.database.knex('alert_rules').where({ id }).update(change);

test.each(['over_quota', 'no_webhooks', 'rule_disabled', 'suppressed'])(
  'a dispatch by hand of an alert with the outcome %s uses the current webhooks of its rule',
  async (outcome) => {
    const webhookIds = [await addWebhook(), await addWebhook()];
    const alertRuleId = await addRule(webhookIds);
    const before = [await addWebhook()];
    const alertId = await seedAlert(api.database, { outcome, alertRuleId, webhookIds: before });
    const { status, body } = await dispatch(alertId.toUpperCase());
    expect([status, body.alert_id]).toEqual([202, alertId]);
    expect(new Set(body.deliveries.map(({ webhook_id }) => webhook_id))).toEqual(new Set(webhookIds));
    for (const delivery of body.deliveries)
      expect(delivery).toMatchObject({ status: 'waiting', attempts_made: 0, alert_id: alertId });
    const alert = await read(alertId);
    expect(alert).toMatchObject({ outcome: 'dispatched', outcome_reason: null, webhook_ids: null });
    expect(Math.abs(Date.parse(alert.dispatched_at ?? '') - Date.now())).toBeLessThan(60_000);
    expect(alert.dispatched_by).toMatch(/#/);
    expect(await api.database.knex('open_deliveries').whereIn('webhook_id', webhookIds)).toMatchObject([
      { manual: true, run: 1, state: 'waiting' },
      { manual: true, run: 1, state: 'waiting' },
    ]);
  },
);

test('a delivery that is dispatched by hand opens at the time of the dispatch, not of the alert', async () => {
  const alertRuleId = await addRule([await addWebhook()]);
  const acceptedAtMs = Date.now() - 3_600_000;
  const alertId = await seedAlert(api.database, { outcome: 'over_quota', alertRuleId, acceptedAtMs });
  const { body } = await dispatch(alertId);
  expect(Date.parse(body.deliveries[0]?.created_at ?? '')).toBe(acceptedAtMs);
  const [row] = await api.database.knex('open_deliveries').where({ delivery_id: body.deliveries[0]?.id });
  expect(Math.abs(row.opened_at.getTime() - Date.now())).toBeLessThan(60_000);
});

test('twenty concurrent dispatches of an alert create its deliveries only once', async () => {
  const alertRuleId = await addRule([await addWebhook(), await addWebhook()]);
  const alertId = await seedAlert(api.database, { outcome: 'no_webhooks', alertRuleId });
  const responses = await Promise.all(Array.from({ length: 20 }, () => dispatch(alertId)));
  const statuses = responses.map(({ status }) => status).filter((status) => status !== 503);
  expect(statuses.filter((status) => status === 202)).toHaveLength(1);
  expect(new Set(statuses)).toEqual(new Set([202, 409]));
  expect(await deliveriesOf(alertId)).toHaveLength(2);
  expect((await dispatch(alertId)).status).toBe(409);
});

test('dispatching an alert of an unregistered rule uses its `webhook_ids`; unknown ids fail', async () => {
  const [known, deleted, foreign] = [await addWebhook(), randomUUID(), await addWebhook(otherWorkspaceId)];
  const webhookIds = [known, deleted, foreign];
  const alertId = await seedAlert(api.database, { outcome: 'rule_disabled', webhookIds });
  expect(await read(alertId)).toMatchObject({ webhook_ids: webhookIds, dispatched_at: null });
  const { status, body } = await dispatch(alertId);
  expect(status).toBe(202);
  const states = body.deliveries.map((one) => [one.webhook_id, one.status, one.error_code]);
  expect(new Set(states)).toEqual(
    new Set([
      [known, 'waiting', null],
      [deleted, 'failed', 'webhook_deleted'],
      [foreign, 'failed', 'webhook_deleted'],
    ]),
  );
});

/** Seeds an alert of a new rule that has one webhook. */
async function seedOfRule(outcome: string, options: { enabled?: boolean; deleted?: boolean }) {
  const alertRuleId = await addRule([await addWebhook()], options);
  return seedAlert(api.database, { outcome, alertRuleId });
}

test.each<[string, () => Promise<string>, string]>([
  ['has been dispatched', () => seedAlert(api.database, { outcome: 'dispatched' }), 'dispatched already'],
  ['is of a deleted rule', () => seedOfRule('rule_deleted', { deleted: true }), 'deleted'],
  [
    'is of a rule that was deleted since',
    async () => {
      const alertRuleId = await addRule([await addWebhook()]);
      const alertId = await seedAlert(api.database, { outcome: 'over_quota', alertRuleId });
      await changeRule(alertRuleId, { deleted_at: new Date() });
      return alertId;
    },
    'deleted',
  ],
  [
    'is of a rule that is disabled now',
    () => seedOfRule('rule_disabled', { enabled: false }),
    'enable it first',
  ],
  [
    'is of a rule without webhooks',
    async () => seedAlert(api.database, { outcome: 'no_webhooks', alertRuleId: await addRule([]) }),
    'attach one first',
  ],
  ['has no stored webhooks', () => seedAlert(api.database, { outcome: 'no_webhooks' }), 'no webhooks'],
  [
    'has stored webhooks that do not exist',
    () => seedAlert(api.database, { outcome: 'over_quota', webhookIds: [randomUUID()] }),
    'no webhooks',
  ],
])('the dispatch of an alert that %s gets 409 and changes nothing', async (_, seed, reason) => {
  const alertId = await seed();
  const before = await read(alertId);
  const { status, body } = await dispatch(alertId);
  expect([status, body.code, body.detail]).toEqual([409, 'conflict', expect.stringContaining(reason)]);
  expect(await read(alertId)).toEqual(before);
  expect(await deliveriesOf(alertId)).toEqual([]);
});

test('a dispatch needs the permission in the workspace of the alert', async () => {
  const alertRuleId = await addRule([await addWebhook()]);
  const alertId = await seedAlert(api.database, { outcome: 'over_quota', alertRuleId });
  for (const as of ['reader', 'publisher', 'outsider'] as const)
    expect([as, (await dispatch(alertId, as)).status]).toEqual([as, 403]);
  const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/alerts/${alertId}/dispatch`;
  expect((await api.call('POST', elsewhere, { as: 'outsider' })).status).toBe(404);
  expect((await dispatch(randomUUID())).status).toBe(404);
  expect((await dispatch('x')).status).toBe(422);
  expect((await api.call('POST', `${alerts}/${alertId}/dispatch`, { body: { force: true } })).status).toBe(
    422,
  );
  expect(await deliveriesOf(alertId)).toEqual([]);
});
