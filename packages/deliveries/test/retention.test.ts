import { randomUUID } from 'node:crypto';
import { ensurePartitions, recordId } from '@tocsin/database';
import { deleteExpiredAlertKeys, dropExpiredDays } from '@tocsin/deliveries';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const dayMs = 86_400_000;

function anAlert(acceptedAtMs: number) {
  const alertId = randomUUID();
  return {
    id: recordId(acceptedAtMs, alertId),
    workspace_id: randomUUID(),
    alert_id: alertId,
    accepted_at: new Date(acceptedAtMs),
    fired_at: new Date(acceptedAtMs).toISOString(),
    alert_rule_id: randomUUID(),
    alert_rule_name: 'r',
    model_id: randomUUID(),
    model_name: 'm',
    metric_value: 1,
    threshold: 1,
    bound: 'upper_bound',
    outcome: 'no_webhooks',
  };
}

test('days older than the retention are dropped with their keys, and later days stay', async () => {
  const now = Date.now();
  const [old, young] = [anAlert(now - dayMs), anAlert(now)];
  await db.database.knex('alerts').insert([old, young]);
  const keyOf = ({ workspace_id, alert_id, accepted_at }: typeof old) => ({
    workspace_id,
    alert_id,
    accepted_at,
  });
  await db.database.knex('alert_keys').insert([keyOf(old), keyOf(young)]);
  const retention = { nowMs: now + dayMs, retentionDays: 1 };
  expect((await dropExpiredDays(db.database, retention)).dropped).toHaveLength(3);
  await deleteExpiredAlertKeys(db.database, retention);
  expect(await db.database.knex('alerts').where({ id: old.id })).toEqual([]);
  expect(await db.database.knex('alerts').where({ id: young.id })).toHaveLength(1);
  expect(
    await db.database.knex('alert_keys').whereIn('alert_id', [old.alert_id, young.alert_id]),
  ).toHaveLength(1);
});

/** Creates the partitions of an expired day and returns a time of that day. */
async function anExpiredDay(daysAgo: number): Promise<number> {
  const at = Date.now() - daysAgo * dayMs;
  await ensurePartitions(db.database, at);
  return at;
}

async function dropNow() {
  const retention = { nowMs: Date.now(), retentionDays: 90 };
  const outcome = await dropExpiredDays(db.database, retention);
  await deleteExpiredAlertKeys(db.database, retention);
  return outcome;
}

test('a day that somebody reads is not dropped until the reader has ended', async () => {
  const at = await anExpiredDay(120);
  const alert = anAlert(at);
  await db.database.knex('alerts').insert(alert);
  const { workspace_id, alert_id, accepted_at } = alert;
  await db.database.knex('alert_keys').insert({ workspace_id, alert_id, accepted_at });
  await db.database.knex.transaction(async (reader) => {
    await reader.raw('select count(*) from alerts');
    expect(await dropNow()).toEqual({ dropped: [], busy: true });
    expect(await reader('alerts').where({ id: alert.id })).toHaveLength(1);
  });
  expect(await db.database.knex('alert_keys').where({ alert_id })).toHaveLength(1);
  expect((await dropNow()).dropped.length).toBeGreaterThan(0);
  expect(await db.database.knex('alert_keys').where({ alert_id })).toEqual([]);
});

test('a day with an open delivery is kept until the delivery has ended', async () => {
  const at = await anExpiredDay(150);
  const alert = anAlert(at);
  await db.database.knex('alerts').insert(alert);
  const delivery_id = recordId(at, randomUUID());
  await db.database.knex('open_deliveries').insert({
    delivery_id,
    workspace_id: alert.workspace_id,
    webhook_id: randomUUID(),
    alert_record_id: alert.id,
    run: 2,
    state: 'waiting',
    due_at: new Date(),
    opened_at: new Date(),
    claim: 1,
  });
  await dropNow();
  expect(await db.database.knex('alerts').where({ id: alert.id })).toHaveLength(1);
  await db.database.knex('open_deliveries').where({ delivery_id }).delete();
  expect((await dropNow()).dropped).toHaveLength(3);
  expect(await db.database.knex('alerts').where({ id: alert.id })).toEqual([]);
});

test('keys that a crash left behind are deleted in batches', async () => {
  const { knex } = db.database;
  await knex.raw(`create table batches (count integer)`);
  await knex.raw(`create function note_batch() returns trigger language plpgsql as
    $$ begin insert into batches select count(*) from gone; return null; end $$`);
  await knex.raw(`create trigger note_batch after delete on alert_keys referencing old table as gone
    for each statement execute function note_batch()`);
  await knex.raw(
    `insert into alert_keys select gen_random_uuid(), gen_random_uuid(), to_timestamp(:at) + n * interval '1 ms'
     from generate_series(1, 120000) n`,
    { at: (Date.now() - 200 * dayMs) / 1_000 },
  );
  await deleteExpiredAlertKeys(db.database, { nowMs: Date.now(), retentionDays: 90 });
  const { rows } = await knex.raw('select max(count) as most, sum(count)::integer as all from batches');
  expect(rows[0].all).toBe(120_000);
  expect(rows[0].most).toBeLessThanOrEqual(50_000);
});
