import { randomUUID } from 'node:crypto';
import { insertAlert, useTestDatabase } from '@tocsin/testing/database';
import { classifyDatabaseError } from '../src/errors.js';
import { ensurePartitions, readClock } from '../src/partitions-repository.js';

const db = useTestDatabase();

const dayMs = 86_400_000;

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await db.database.knex.raw(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = ?::regclass order by 1`,
    [table],
  );
  return rows.map((row: { name: string }) => row.name);
}

test('a new database has partitions from yesterday to a week ahead; ensurePartitions adds none', async () => {
  const now = Date.now();
  const before = await partitionsOf('deliveries');
  expect(before).toHaveLength(9);
  await Promise.all([1, 2, 3].map(() => ensurePartitions(db.database, now)));
  expect(await partitionsOf('deliveries')).toEqual(before);
  for (const at of [now - dayMs, now, now + 7 * dayMs - 1])
    await insertAlert(db.database, { acceptedAtMs: at });
});

test('ensurePartitions on a later day adds only the partitions that are missing', async () => {
  await ensurePartitions(db.database, Date.now() + 5 * dayMs);
  expect(await partitionsOf('attempts')).toHaveLength(14);
  await insertAlert(db.database, { acceptedAtMs: Date.now() + 11 * dayMs });
});

test('ensurePartitions creates a dropped partition, and attaches a detached one with its rows', async () => {
  const alert = await insertAlert(db.database, { acceptedAtMs: Date.now() });
  const name = `alerts_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;
  await db.database.knex.raw(`alter table alerts detach partition ${name}`);
  await db.database.knex.raw(`drop table ${name.replace('alerts', 'attempts')}`);
  const insert = db.database.knex.raw(`insert into alerts select * from ${name}`);
  const error = await insert.catch((thrown) => thrown);
  expect(classifyDatabaseError(error)).toBe('missing_partition');
  await ensurePartitions(db.database, Date.now());
  expect(await partitionsOf('alerts')).toContain(name);
  expect(await partitionsOf('attempts')).toContain(name.replace('alerts', 'attempts'));
  expect(await db.database.knex('alerts').where({ id: alert.id })).toHaveLength(1);
});

test('a violated constraint is not reported as a missing partition', async () => {
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
      last_updated_by: 'test',
    })
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ code: '23514' });
  expect(classifyDatabaseError(error)).toBe('invalid_value');
});

test('readClock returns the time of the database, and not that of the process', async () => {
  const real = Date.now;
  Date.now = () => real() + 100 * dayMs;
  try {
    expect(Math.abs((await readClock(db.database)) - real())).toBeLessThan(60_000);
  } finally {
    Date.now = real;
  }
});
