import { randomUUID } from 'node:crypto';
import { until } from '@tocsin/testing';
import { insertAlertRule } from '@tocsin/testing/database';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness();
beforeAll(() => Promise.all([harness.startWorker(), harness.startWorker()]));

const hour = 3_600;
const alert = (alertId: string) => until('the alert is recorded', () => harness.alertOf(alertId));
const outcome = async (alertId: string) => {
  const { outcome, suppressed_by, suppressed_by_alert } = await alert(alertId);
  return { outcome, suppressed_by, suppressed_by_alert };
};
const dispatched = { outcome: 'dispatched', suppressed_by: null, suppressed_by_alert: null };
const byCooldown = (alertId: string) => ({
  outcome: 'suppressed',
  suppressed_by: 'cooldown',
  suppressed_by_alert: alertId,
});
const rule = (id: string) => harness.database.knex('alert_rules').where({ id }).first();
const change = (id: string, columns: object) =>
  harness.database.knex('alert_rules').where({ id }).update(columns);

async function addRule(columns: object) {
  const target = await harness.addTarget();
  return { ruleId: await harness.addRule([target.id], { columns }), target };
}

test('an alert during a silence is suppressed, and one after it is delivered', async () => {
  const { ruleId, target } = await addRule({ silenced_until: new Date(Date.now() + 60_000) });
  const first = await harness.fire(ruleId);
  expect(await outcome(first)).toEqual({
    outcome: 'suppressed',
    suppressed_by: 'silence',
    suppressed_by_alert: null,
  });
  expect(await harness.deliveriesOf(first)).toEqual([]);
  await change(ruleId, { silenced_until: new Date() });
  expect(await outcome(await harness.fire(ruleId))).toEqual(dispatched);
  await until('it is delivered', () => harness.destination.at(target.path).length === 1);
});

test('an alert during a cooldown is suppressed and names the alert that started the cooldown', async () => {
  const { ruleId, target } = await addRule({ cooldown_seconds: hour });
  const first = await harness.fire(ruleId);
  expect(await outcome(first)).toEqual(dispatched);
  const second = await harness.fire(ruleId);
  expect(await outcome(second)).toEqual(byCooldown(first));
  expect(await harness.deliveriesOf(second)).toEqual([]);
  // The repetitions of both alerts must not change the cooldown.
  const before = await rule(ruleId);
  for (const alert_id of [first, second]) await harness.fire(ruleId, { alert_id });
  const third = await harness.fire(ruleId);
  expect(await outcome(third)).toEqual(byCooldown(first));
  expect(await rule(ruleId)).toEqual(before);
  expect(harness.destination.at(target.path)).toHaveLength(1);
});

test('a cooldown starts at a dispatched alert and is not extended by suppressed alerts', async () => {
  const { ruleId } = await addRule({ cooldown_seconds: hour });
  const first = await harness.fire(ruleId);
  expect(await outcome(first)).toEqual(dispatched);
  await change(ruleId, { cooldown_from: new Date(Date.now() - (hour + 1) * 1_000) });
  const second = await harness.fire(ruleId);
  expect(await outcome(second)).toEqual(dispatched);
  expect(await outcome(await harness.fire(ruleId))).toEqual(byCooldown(second));
  const { cooldown_from } = await rule(ruleId);
  expect(cooldown_from).toEqual((await alert(second)).accepted_at);
});

test('two workers dispatch only one of a hundred concurrent alerts of a rule with a cooldown', async () => {
  const { ruleId, target } = await addRule({ cooldown_seconds: hour });
  const alertIds = await Promise.all(Array.from({ length: 100 }, () => harness.fire(ruleId)));
  const outcomes = await Promise.all(alertIds.map(outcome));
  const [winner, ...others] = alertIds.filter((_, index) => outcomes[index]?.outcome === 'dispatched');
  expect(others).toEqual([]);
  for (const [index, alertId] of alertIds.entries())
    expect(outcomes[index]).toEqual(alertId === winner ? dispatched : byCooldown(winner!));
  await until('it is delivered', () => harness.destination.at(target.path).length === 1);
  expect(await harness.deliveriesOf(winner!)).toHaveLength(1);
});

test('each rule of a batch has its own cooldown, and rules without one are not affected', async () => {
  const [first, second, free] = [
    await addRule({ cooldown_seconds: hour }),
    await addRule({ cooldown_seconds: hour }),
    await addRule({}),
  ];
  const rules = [first, second, free].flatMap(({ ruleId }) => [ruleId, ruleId, ruleId]);
  const alertIds = await Promise.all(rules.map((ruleId) => harness.fire(ruleId)));
  const outcomes = await Promise.all(alertIds.map(outcome));
  const dispatchedOf = ({ ruleId }: { ruleId: string }) =>
    outcomes.filter((one, index) => rules[index] === ruleId && one.outcome === 'dispatched').length;
  expect([first, second, free].map(dispatchedOf)).toEqual([1, 1, 3]);
  expect(await rule(free.ruleId)).toMatchObject({ cooldown_from: null, cooldown_alert_id: null });
});

test('no cooldown starts for a rule in a message or for a rule of another workspace', async () => {
  const target = await harness.addTarget();
  const alert_rule = {
    name: 'of the monitor',
    enabled: true,
    threshold: 0.25,
    bound: 'lower_bound',
    notification_webhook_ids: [target.id],
    cooldown_seconds: hour,
    silenced_until: '2999-01-01T00:00:00Z',
  };
  const ruleId = randomUUID();
  for (let count = 0; count < 2; count += 1)
    expect(await outcome(await harness.fire(ruleId, { alert_rule }))).toEqual(dispatched);
  const foreign = await insertAlertRule(harness.database, { columns: { cooldown_seconds: hour } });
  await harness.fire(foreign);
  await until(
    'the message is a dead letter',
    async () => (await harness.database.knex('dead_letters')).length === 1,
  );
  expect(await rule(foreign)).toMatchObject({ cooldown_from: null });
});

test('alerts of a disabled rule and of a rule without webhooks start no cooldown', async () => {
  const { ruleId } = await addRule({ cooldown_seconds: hour, enabled: false });
  const bare = await harness.addRule([], { columns: { cooldown_seconds: hour } });
  expect(await outcome(await harness.fire(ruleId))).toMatchObject({ outcome: 'rule_disabled' });
  expect(await outcome(await harness.fire(bare))).toMatchObject({ outcome: 'no_webhooks' });
  await change(ruleId, { enabled: true });
  expect(await outcome(await harness.fire(ruleId))).toEqual(dispatched);
});

test('suppressed alerts release their slots and their places in the queue', async () => {
  const { ruleId } = await addRule({ cooldown_seconds: hour });
  const alertIds = await Promise.all(Array.from({ length: 400 }, () => harness.fire(ruleId)));
  await Promise.all(alertIds.map(alert));
  const { ruleId: free, target } = await addRule({});
  await Promise.all(Array.from({ length: 20 }, () => harness.fire(free)));
  await until('the others are delivered', () => harness.destination.at(target.path).length === 20);
}, 30_000);
