import { createDatabase, ensurePartitions, recordChanges, systemAuthor } from '@tocsin/database';
import {
  deleteExpired,
  deleteRowsOfDeletedWebhooks,
  dropExpiredDays,
  removeExpiredAttempts,
} from '@tocsin/deliveries';
import { until } from '@tocsin/testing';
import {
  insertAlert,
  insertAttempt,
  insertDelivery,
  insertWebhook,
  useTestDatabase,
} from '@tocsin/testing/database';

const db = useTestDatabase();

const dayMs = 86_400_000;

test('days older than the retention are dropped with their alert keys, and later days are kept', async () => {
  const now = Date.now();
  const old = await insertAlert(db.database, { acceptedAtMs: now - dayMs });
  const young = await insertAlert(db.database, { acceptedAtMs: now });
  const retention = { nowMs: now + dayMs, retentionDays: 1 };
  expect((await dropExpiredDays(db.database, retention)).dropped).toHaveLength(3);
  await deleteExpired(db.database, 'keys', retention);
  expect(await db.database.knex('alerts').where({ id: old.id })).toEqual([]);
  expect(await db.database.knex('alerts').where({ id: young.id })).toHaveLength(1);
  expect(await db.database.knex('alert_keys').whereIn('alert_id', [old.alertId, young.alertId])).toHaveLength(
    1,
  );
});

test('audit events older than the retention are deleted', async () => {
  const { knex } = db.database;
  const resourceId = '0c8f4f7e-2b55-4b55-9d4e-7a9f5d1e2c33';
  const changes = [{ workspaceId: null, action: 'webhook.updated', resourceId } as const];
  await knex.transaction((trx) => recordChanges(trx, systemAuthor, [...changes, ...changes]));
  const [old, young] = await knex('audit_events').orderBy('id');
  await knex('audit_events')
    .where({ id: old.id })
    .update({ time: new Date(Date.now() - 91 * dayMs) });
  await deleteExpired(db.database, 'audit events', { nowMs: Date.now(), retentionDays: 90 });
  expect((await knex('audit_events')).map(({ id }) => id)).toEqual([young.id]);
});

test.each([
  ['alert_keys', 'accepted_at'],
  ['delivery_stats', 'at'],
  ['audit_events', 'time'],
])('the search for expired rows of %s reads an index', async (table, column) => {
  const worker = createDatabase({ url: db.url, applicationName: 'worker', poolSize: 1, plansByKey: true });
  const { rows } = await worker.knex.raw(`explain select ctid from ${table} where ${column} < now() limit 9`);
  await worker.close();
  expect(rows[1]['QUERY PLAN']).toContain(`Index Scan using ${table}_${column}`);
});

test('the health of a webhook that does not exist is deleted', async () => {
  const { knex } = db.database;
  const ids = [await insertWebhook(db.database), await insertWebhook(db.database)];
  const at = new Date();
  for (const webhook_id of ids) {
    await knex('webhook_health').insert({ webhook_id, failing: true, since: at, last_attempt_at: at });
  }
  await knex('webhooks').where({ id: ids[0]! }).delete();
  await deleteRowsOfDeletedWebhooks(db.database);
  expect(await knex('webhook_health').pluck('webhook_id')).toEqual([ids[1]]);
});

/** Creates the partitions of a past day. Returns a time of that day, in Unix milliseconds. */
async function anExpiredDay(daysAgo: number): Promise<number> {
  const at = Date.now() - daysAgo * dayMs;
  await ensurePartitions(db.database, at);
  return at;
}

async function dropNow() {
  const retention = { nowMs: Date.now(), retentionDays: 90 };
  const outcome = await dropExpiredDays(db.database, retention);
  await deleteExpired(db.database, 'keys', retention);
  return outcome;
}

test('the partitions of a day are not dropped while a transaction reads their table', async () => {
  const at = await anExpiredDay(120);
  const alert = await insertAlert(db.database, { acceptedAtMs: at });
  const keys = () => db.database.knex('alert_keys').where({ alert_id: alert.alertId });
  await db.database.knex.transaction(async (reader) => {
    await reader.raw('select count(*) from alerts');
    expect(await dropNow()).toEqual({ dropped: [], busy: true });
    expect(await reader('alerts').where({ id: alert.id })).toHaveLength(1);
  });
  expect(await keys()).toHaveLength(1);
  expect((await dropNow()).dropped.length).toBeGreaterThan(0);
  expect(await keys()).toEqual([]);
});

test('a day with an open delivery is kept until the delivery has ended', async () => {
  const at = await anExpiredDay(150);
  const alert = await insertAlert(db.database, { acceptedAtMs: at });
  const delivery_id = await insertDelivery(db.database, { ...alert, acceptedAtMs: at, status: 'open' });
  await dropNow();
  expect(await db.database.knex('alerts').where({ id: alert.id })).toHaveLength(1);
  await db.database.knex('open_deliveries').where({ delivery_id }).delete();
  expect((await dropNow()).dropped).toHaveLength(3);
  expect(await db.database.knex('alerts').where({ id: alert.id })).toEqual([]);
});

test('the alert keys of days whose partitions are dropped are deleted in batches', async () => {
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
  await deleteExpired(db.database, 'keys', { nowMs: Date.now(), retentionDays: 90 });
  const { rows } = await knex.raw('select max(count) as most, sum(count)::integer as all from batches');
  expect(rows[0].all).toBe(120_000);
  expect(rows[0].most).toBeLessThanOrEqual(50_000);
});

describe('retention of attempts', () => {
  const expire = () => removeExpiredAttempts(db.database, { nowMs: Date.now(), retentionDays: 14 });
  const attemptsOf = (id: string) => db.database.knex('attempts').where({ delivery_id: id }).pluck('number');
  const addDelivery = async (acceptedAtMs: number) => {
    const alert = await insertAlert(db.database, { acceptedAtMs });
    return insertDelivery(db.database, { ...alert, acceptedAtMs, response: 'no' });
  };

  test('expired attempts are removed once, and deliveries and younger attempts are kept', async () => {
    const [old, young] = [
      await addDelivery(await anExpiredDay(20)),
      await addDelivery(await anExpiredDay(13)),
    ];
    expect(await expire()).toContain(`attempts_${dayOf(20)}`);
    expect([await attemptsOf(old), await attemptsOf(young)]).toEqual([[], [1]]);
    expect(await db.database.knex('deliveries').where({ id: old })).toHaveLength(1);
    expect(await expire()).toEqual([]);
  });

  test('only one of two workers that wait for the same partition empties it', async () => {
    await addDelivery(await anExpiredDay(25));
    const name = `attempts_${dayOf(25)}`;
    const { knex } = db.database;
    let removed: Promise<string[][]> | undefined;
    await knex.transaction(async (reader) => {
      await reader.raw(`lock table ${name} in access share mode`);
      removed = Promise.all([expire(), expire()]);
      await until('both wait', async () => {
        const { rows } = await knex.raw('select from pg_locks where relation = ?::regclass and not granted', [
          name,
        ]);
        return rows.length === 2;
      });
    });
    expect((await removed!).flat().filter((emptied) => emptied === name)).toEqual([name]);
  });

  test('new attempts of an old delivery are kept until they are older than the retention', async () => {
    const id = await addDelivery(await anExpiredDay(30));
    await expire();
    const late = { workspaceId: 'w', id, response: 'ok', statusCode: 200 };
    await insertAttempt(db.database, { ...late, number: 2 });
    await insertAttempt(db.database, { ...late, number: 3 });
    const fifteenDaysAgo = new Date(Date.now() - 15 * dayMs);
    await db.database
      .knex('attempts')
      .where({ delivery_id: id, number: 2 })
      .update({ started_at: fifteenDaysAgo });
    expect(await expire()).toEqual([]);
    expect(await attemptsOf(id)).toEqual([3]);
  });

  test('expired attempts are removed while a transaction reads other days', async () => {
    const id = await addDelivery(await anExpiredDay(40));
    await db.database.knex.transaction(async (reader) => {
      await reader.raw('select count(*) from attempts where delivery_id >= ?', [
        await addDelivery(Date.now()),
      ]);
      await expire();
    });
    expect(await attemptsOf(id)).toEqual([]);
  });
});

function dayOf(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10).replaceAll('-', '');
}
