import { randomUUID } from 'node:crypto';
import type { Alert, AlertRule } from '@tocsin/contracts';
import { insertAlertRule } from '@tocsin/testing/database';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';
import { seedAlert } from './support/history.js';

const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
const alerts = `/api/v1/workspaces/${workspaceId}/alerts`;
const fields = { name: 'Drift', model_id: randomUUID(), threshold: 0.25, bound: 'upper_bound' };

const api = useApi();

const patch = (id: string, body: unknown) =>
  api.call<AlertRule & Problem>('PATCH', `/api/v1/alert_rules/${id}`, { body });
const row = (id: string) => api.database.knex('alert_rules').where({ id }).first();

test('an alert rule has no cooldown and no silence by default', async () => {
  const { body } = await api.call<AlertRule>('POST', rules, { body: fields });
  expect(body).toMatchObject({ cooldown_seconds: 0, silenced_until: null });
  const given = { cooldown_seconds: 86_400, silenced_until: '2999-01-01T00:00:00.000Z' };
  const created = await api.call<AlertRule>('POST', rules, { body: { ...fields, ...given } });
  expect([created.status, created.body]).toMatchObject([201, given]);
  const changed = await patch(created.body.id, { silenced_until: '2999-01-01T01:00:00+01:00' });
  expect(changed.body).toMatchObject(given);
  const ended = await patch(created.body.id, { cooldown_seconds: 0, silenced_until: null });
  expect(ended.body).toMatchObject({ cooldown_seconds: 0, silenced_until: null });
});

test.each([
  ['a negative cooldown', { cooldown_seconds: -1 }],
  ['a cooldown above a day', { cooldown_seconds: 86_401 }],
  ['a cooldown that is no integer', { cooldown_seconds: 1.5 }],
  ['a cooldown as text', { cooldown_seconds: '60' }],
  ['a cooldown that is null', { cooldown_seconds: null }],
  ['a silence that is no time', { silenced_until: 'tomorrow' }],
  ['a silence on the 30th of February', { silenced_until: '2026-02-30T00:00:00Z' }],
  ['a silence until the year 10000 in UTC', { silenced_until: '9999-12-31T23:59:59-05:00' }],
  ['a silence until the year 0 in UTC', { silenced_until: '0001-01-01T00:00:00+05:00' }],
  ['a silence as a number', { silenced_until: 1_800_000_000 }],
])('a rule with %s is rejected and not changed', async (_, body) => {
  const id = await insertAlertRule(api.database, { workspaceId });
  const before = await row(id);
  const rejected = await patch(id, body);
  expect([rejected.status, rejected.body.code]).toEqual([422, 'validation_failed']);
  expect(await row(id)).toEqual(before);
});

test('a new cooldown of a rule starts at its last firing alert that was not dispatched by hand', async () => {
  const alertRuleId = await insertAlertRule(api.database, { workspaceId });
  const at = (secondsAgo: number) => Date.now() - secondsAgo * 1_000;
  const seed = (outcome: string, secondsAgo: number) =>
    seedAlert(api.database, { outcome, alertRuleId, acceptedAtMs: at(secondsAgo) });
  await seed('dispatched', 50);
  const last = await seed('dispatched', 40);
  await seed('suppressed', 30);
  await seed('over_quota', 20);
  const byHand = await seed('dispatched', 10);
  const mark = (alertId: string, columns: object) =>
    api.database.knex('alerts').where({ alert_id: alertId }).update(columns);
  await mark(byHand, { dispatched_at: new Date() });
  await mark(await seed('dispatched', 5), { state: 'resolved' });
  await seedAlert(api.database, { alertRuleId: randomUUID(), acceptedAtMs: at(5) });
  await seedAlert(api.database, { workspaceId: otherWorkspaceId, alertRuleId, acceptedAtMs: at(5) });
  const { accepted_at } = await api.database.knex('alerts').where({ alert_id: last }).first();
  const none = { cooldown_from: null, cooldown_alert_id: null };
  const started = { cooldown_from: accepted_at, cooldown_alert_id: last };
  await patch(alertRuleId, { cooldown_seconds: 30 });
  expect(await row(alertRuleId)).toMatchObject(none);
  // The alert is older than the cooldown of 30 s, but not than the longer one.
  await patch(alertRuleId, { cooldown_seconds: 60 });
  expect(await row(alertRuleId)).toMatchObject(started);
  await patch(alertRuleId, { cooldown_seconds: 0 });
  await patch(alertRuleId, { cooldown_seconds: 30 });
  expect(await row(alertRuleId)).toMatchObject(none);
  await patch(alertRuleId, { cooldown_seconds: 0 });
  await patch(alertRuleId, { cooldown_seconds: 60 });
  expect(await row(alertRuleId)).toMatchObject(started);
});

test('a change of the name or the cooldown length of a rule does not restart its cooldown', async () => {
  const id = await insertAlertRule(api.database, {
    workspaceId,
    columns: { cooldown_seconds: 60, cooldown_from: new Date(), cooldown_alert_id: randomUUID() },
  });
  const before = await row(id);
  await patch(id, { name: 'Renamed', cooldown_seconds: 120 });
  const { cooldown_from, cooldown_alert_id } = before;
  expect(await row(id)).toMatchObject({ cooldown_from, cooldown_alert_id, cooldown_seconds: 120 });
});

test('a suppressed alert shows the reason of its suppression and is found by its outcome', async () => {
  const alertRuleId = await insertAlertRule(api.database, { workspaceId });
  await seedAlert(api.database, { outcome: 'dispatched', alertRuleId });
  const [silenced, cooled, first] = [
    await seedAlert(api.database, { outcome: 'suppressed', alertRuleId }),
    await seedAlert(api.database, { outcome: 'suppressed', alertRuleId }),
    randomUUID(),
  ];
  const mark = (alertId: string, columns: object) =>
    api.database.knex('alerts').where({ alert_id: alertId }).update(columns);
  await mark(silenced, { suppressed_by: 'silence' });
  await mark(cooled, { suppressed_by: 'cooldown', suppressed_by_alert: first });
  const read = async (alertId: string) => (await api.call<Alert>('GET', `${alerts}/${alertId}`)).body;
  expect(await read(silenced)).toMatchObject({
    outcome: 'suppressed',
    outcome_reason: expect.stringContaining('silenced'),
    suppressed_by: { reason: 'silence', alert_id: null },
  });
  expect(await read(cooled)).toMatchObject({
    outcome_reason: expect.stringContaining('cooldown'),
    suppressed_by: { reason: 'cooldown', alert_id: first },
  });
  const found = await api.call<Alert[]>('GET', `${alerts}?outcome=suppressed&alert_rule_id=${alertRuleId}`);
  expect(new Set(found.body.map(({ alert_id }) => alert_id))).toEqual(new Set([silenced, cooled]));
});
