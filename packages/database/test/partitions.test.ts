import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { classifyDatabaseError } from '../src/errors.js';
import { ensurePartitions, readClock } from '../src/partitions-repository.js';
import { recordId } from '../src/record-id.js';

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
