import { randomUUID } from 'node:crypto';
import type { AlertState } from '@tocsin/contracts';
import { insertAlertRule, untilLockWaits, useTestDatabase } from '@tocsin/testing/database';
import type { PlannedAlert } from '../src/fan-out/plan.js';
import { createDatabaseFixtures, type DatabaseFixtures } from './support/database-fixtures.js';

// The statement that writes alerts also evaluates the cooldowns of their rules, for a whole batch and across workers.

const db = useTestDatabase();
let fixtures: DatabaseFixtures;
let webhookId: string;
beforeAll(async () => {
  fixtures = createDatabaseFixtures(db.database);
  webhookId = await fixtures.addWebhook();
});

const addRule = (columns: object = { cooldown_seconds: 60 }) =>
  insertAlertRule(db.database, { workspaceId: fixtures.workspaceId, columns });
const cooldownOf = async (id: string) => {
  const { cooldown_from, cooldown_alert_id } = await db.database.knex('alert_rules').where({ id }).first();
  return { cooldown_from, cooldown_alert_id };
};
const none = { cooldown_from: null, cooldown_alert_id: null };

interface PlanOptions {
  alertId?: ReturnType<typeof randomUUID>;
  acceptedAtMs?: number;
  state?: AlertState;
}

/** Creates a planned alert of a rule. The cooldown of the rule does not apply to a resolved alert. */
function plan(ruleId: string, { state = 'firing', ...options }: PlanOptions = {}): PlannedAlert {
  const { resolved, ...planned } = fixtures.plan([webhookId], options);
  const alert = { ...resolved.alert, alert_rule_id: ruleId, state };
  return { ...planned, resolved: { ...resolved, alert, cooldownApplies: state === 'firing' } };
}

const alertIdOf = ({ resolved }: PlannedAlert) => resolved.alert.alert_id;
const outcomesOf = async (alerts: PlannedAlert[]) => {
  const rows = await db.database.knex('alerts').whereIn(
    'id',
    alerts.map(({ recordId }) => recordId),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return alerts.map(({ recordId }) => {
    const { outcome, suppressed_by, suppressed_by_alert } = byId.get(recordId);
    return outcome === 'dispatched' ? outcome : [outcome, suppressed_by, suppressed_by_alert];
  });
};

test('the first alert in the order of a batch starts the cooldown and suppresses the others', async () => {
  const ruleId = await addRule();
  const alerts = Array.from({ length: 8 }, () => plan(ruleId));
  const [first, ...others] = alerts as [PlannedAlert, ...PlannedAlert[]];
  const acceptedAtMs = Date.now() - 5_000;
  const { ids, suppressed } = await fixtures.write(alerts, { acceptedAtMs });
  expect(suppressed).toEqual(new Set(others.map(({ recordId }) => recordId)));
  expect(ids).toEqual(new Set([...alerts.map(({ recordId }) => recordId), first.deliveries[0]!.id]));
  const byFirst = ['suppressed', 'cooldown', alertIdOf(first)];
  expect(await outcomesOf(alerts)).toEqual(['dispatched', ...others.map(() => byFirst)]);
  expect(await cooldownOf(ruleId)).toEqual({
    cooldown_from: new Date(acceptedAtMs),
    cooldown_alert_id: alertIdOf(first),
  });
});

test('alerts above the open-delivery limit of their workspace start no cooldown', async () => {
  const ruleId = await addRule();
  const alerts = [plan(ruleId), plan(ruleId)].map(
    ({ resolved, ...alert }): PlannedAlert => ({
      ...alert,
      deliveries: [],
      resolved: { ...resolved, outcome: 'over_quota' },
    }),
  );
  await fixtures.write(alerts);
  expect(await outcomesOf(alerts)).toEqual(alerts.map(() => ['over_quota', null, null]));
  expect(await cooldownOf(ruleId)).toEqual(none);
});

test('a cooldown of 60 seconds ends after exactly 60 seconds', async () => {
  const acceptedAtMs = Date.now();
  for (const [seconds, outcome] of [
    [59.999, 'suppressed'],
    [60, 'dispatched'],
  ] as const) {
    const cooldown = {
      cooldown_from: new Date(acceptedAtMs - seconds * 1_000),
      cooldown_alert_id: randomUUID(),
    };
    const alert = plan(await addRule({ cooldown_seconds: 60, ...cooldown }));
    await fixtures.write([alert], { acceptedAtMs });
    const expected = outcome === 'dispatched' ? outcome : [outcome, 'cooldown', cooldown.cooldown_alert_id];
    expect(await outcomesOf([alert])).toEqual([expected]);
  }
});

test('each rule of a batch has its own cooldown', async () => {
  const [one, other] = [await addRule(), await addRule()];
  const alerts = [plan(one), plan(other), plan(one), plan(other)];
  await fixtures.write(alerts);
  const [first, second] = alerts.map(alertIdOf);
  expect(await outcomesOf(alerts)).toEqual([
    'dispatched',
    'dispatched',
    ['suppressed', 'cooldown', first],
    ['suppressed', 'cooldown', second],
  ]);
  expect([await cooldownOf(one), await cooldownOf(other)]).toMatchObject([
    { cooldown_alert_id: first },
    { cooldown_alert_id: second },
  ]);
});

test('a resolved alert is not suppressed and starts no cooldown', async () => {
  const ruleId = await addRule();
  const alerts = [plan(ruleId), plan(ruleId, { state: 'resolved' })];
  await fixtures.write(alerts);
  expect(await outcomesOf(alerts)).toEqual(['dispatched', 'dispatched']);
  const before = await cooldownOf(ruleId);
  expect(before).toMatchObject({ cooldown_alert_id: alertIdOf(alerts[0]!) });
  const later = [plan(ruleId, { state: 'resolved' }), plan(ruleId)];
  await fixtures.write(later, { acceptedAtMs: Date.now() + 1_000 });
  expect(await outcomesOf(later)).toEqual(['dispatched', expect.arrayContaining(['suppressed'])]);
  expect(await cooldownOf(ruleId)).toEqual(before);
});

test('a suppressed alert does not change the start of the cooldown', async () => {
  const ruleId = await addRule();
  await fixtures.write([plan(ruleId)]);
  const before = await cooldownOf(ruleId);
  await fixtures.write([plan(ruleId)], { acceptedAtMs: Date.now() + 1_000 });
  expect(await cooldownOf(ruleId)).toEqual(before);
});

test('no alert is suppressed if the cooldown of its rule was removed after the rule was read', async () => {
  const ruleId = await addRule({ cooldown_seconds: 0 });
  const alerts = [plan(ruleId), plan(ruleId)];
  await fixtures.write(alerts);
  expect(await outcomesOf(alerts)).toEqual(['dispatched', 'dispatched']);
});

test('a repeated alert neither starts a cooldown nor suppresses another alert', async () => {
  const ruleId = await addRule();
  const alertId = randomUUID();
  await fixtures.write([plan(ruleId, { alertId })]);
  await db.database.knex('alert_rules').where({ id: ruleId }).update(none);
  const repeated = plan(ruleId, { alertId, acceptedAtMs: Date.now() + 1_000 });
  await fixtures.write([repeated]);
  expect(await cooldownOf(ruleId)).toEqual(none);
  const next = plan(ruleId);
  await fixtures.write([plan(ruleId, { alertId, acceptedAtMs: Date.now() + 2_000 }), next]);
  expect(await outcomesOf([next])).toEqual(['dispatched']);
});

test('two concurrent batches dispatch only one alert of a rule with a cooldown', async () => {
  const ruleId = await addRule();
  const alerts = [plan(ruleId), plan(ruleId)];
  const holder = await db.database.knex.transaction();
  await holder('alert_rules').where({ id: ruleId }).forUpdate();
  const writes = alerts.map((alert) => fixtures.write([alert]));
  await untilLockWaits(db.database, { sessions: 2 });
  await holder.commit();
  await Promise.all(writes);
  const outcomes = await outcomesOf(alerts);
  expect(outcomes.filter((outcome) => outcome === 'dispatched')).toHaveLength(1);
});

test('a write locks the rules before it inserts the keys of its alerts', async () => {
  const ruleId = await addRule();
  const planned = plan(ruleId);
  const holder = await db.database.knex.transaction();
  await holder('alert_rules').where({ id: ruleId }).forUpdate();
  const writing = fixtures.write([planned]);
  await untilLockWaits(db.database);
  const { workspace_id, alert_id } = planned.resolved.alert;
  await holder('alert_keys').insert({ workspace_id, alert_id, accepted_at: new Date() });
  await holder.commit();
  expect((await writing).ids.size).toBe(0);
});
