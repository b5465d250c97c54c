import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { classifyDatabaseError } from '../src/errors.js';
import { ensurePartitions, readClock } from '../src/partitions-repository.js';
import { recordId } from '../src/record-id.js';
import { dropExpiredDays, forgetExpiredKeys } from '../src/retention-repository.js';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const dayMs = 86_400_000;

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await db.database.knex.raw(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = ?::regclass order by 1`,
    [table],
  );
  return rows.map((row: { name: string }) => row.name);
}

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

test('there are partitions from yesterday to a week ahead, and making them again, also at once, changes nothing', async () => {
  const now = Date.now();
  const before = await partitionsOf('deliveries');
  expect(before).toHaveLength(9);
  await Promise.all([1, 2, 3].map(() => ensurePartitions(db.database, now)));
  expect(await partitionsOf('deliveries')).toEqual(before);
  for (const at of [now - dayMs, now, now + 7 * dayMs - 1])
    await db.database.knex('alerts').insert(anAlert(at));
});

test('what is made later goes on where the others end', async () => {
  await ensurePartitions(db.database, Date.now() + 5 * dayMs);
  expect(await partitionsOf('attempts')).toHaveLength(14);
  await db.database.knex('alerts').insert(anAlert(Date.now() + 11 * dayMs));
});

test('a partition that was dropped is made again, and one that was detached is attached with what it holds', async () => {
  const alert = anAlert(Date.now());
  await db.database.knex('alerts').insert(alert);
  const name = `alerts_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;
  await db.database.knex.raw(`alter table alerts detach partition ${name}`);
  await db.database.knex.raw(`drop table ${name.replace('alerts', 'attempts')}`);
  const error = await db.database
    .knex('alerts')
    .insert(anAlert(Date.now()))
    .catch((thrown) => thrown);
  expect(classifyDatabaseError(error)).toBe('missing_partition');
  await ensurePartitions(db.database, Date.now());
  expect(await partitionsOf('alerts')).toContain(name);
  expect(await partitionsOf('attempts')).toContain(name.replace('alerts', 'attempts'));
  expect(await db.database.knex('alerts').where({ id: alert.id })).toHaveLength(1);
});

test('a value that a constraint forbids is not taken for a missing partition', async () => {
  const now = new Date();
  const error = await db.database
    .knex('alert_rules')
    .insert({
      id: randomUUID(),
      workspace_id: randomUUID(),
      name: 'r',
      model_id: randomUUID(),
      threshold: 1,
      bound: 'sideways',
      enabled: true,
      created_at: now,
      updated_at: now,
    })
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ code: '23514' });
  expect(classifyDatabaseError(error)).toBe('invalid_value');
});

test('the clock is the database’s', async () => {
  const real = Date.now;
  Date.now = () => real() + 100 * dayMs;
  try {
    expect(Math.abs((await readClock(db.database)) - real())).toBeLessThan(60_000);
  } finally {
    Date.now = real;
  }
});

test('what is older than the retention goes whole, and what is not stays', async () => {
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
  await forgetExpiredKeys(db.database, retention);
  expect(await db.database.knex('alerts').where({ id: old.id })).toEqual([]);
  expect(await db.database.knex('alerts').where({ id: young.id })).toHaveLength(1);
  expect(
    await db.database.knex('alert_keys').whereIn('alert_id', [old.alert_id, young.alert_id]),
  ).toHaveLength(1);
});

/** A day long past, with its partitions. */
async function anExpiredDay(daysAgo: number): Promise<number> {
  const at = Date.now() - daysAgo * dayMs;
  await ensurePartitions(db.database, at);
  return at;
}

async function dropNow() {
  const retention = { nowMs: Date.now(), retentionDays: 90 };
  const outcome = await dropExpiredDays(db.database, retention);
  await forgetExpiredKeys(db.database, retention);
  return outcome;
}

test('a day that somebody reads is left for another time, and is not waited for', async () => {
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

test('a day of which a delivery is owed is kept whole until it has ended', async () => {
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

test('keys whose day was dropped by one who died before it forgot them go in steps, all of them', async () => {
  const { knex } = db.database;
  await knex.raw(`create table steps (count integer)`);
  await knex.raw(`create function note_step() returns trigger language plpgsql as
    $$ begin insert into steps select count(*) from gone; return null; end $$`);
  await knex.raw(`create trigger note_step after delete on alert_keys referencing old table as gone
    for each statement execute function note_step()`);
  await knex.raw(
    `insert into alert_keys select gen_random_uuid(), gen_random_uuid(), to_timestamp(:at) + n * interval '1 ms'
     from generate_series(1, 120000) n`,
    { at: (Date.now() - 200 * dayMs) / 1_000 },
  );
  await forgetExpiredKeys(db.database, { nowMs: Date.now(), retentionDays: 90 });
  const { rows } = await knex.raw('select max(count) as most, sum(count)::integer as all from steps');
  expect(rows[0].all).toBe(120_000);
  expect(rows[0].most).toBeLessThanOrEqual(50_000);
});
