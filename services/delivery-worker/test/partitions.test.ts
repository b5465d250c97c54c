import { classifyDatabaseError, timeOfRecordId } from '@tocsin/database';
import { until } from '@tocsin/testing';
import { createWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

const dayMs = 86_400_000;
const tables = ['alerts', 'deliveries', 'attempts'];
const wallClock = Date.now;
let harness: WorkerHarness;

beforeEach(async () => {
  harness = await createWorkerHarness();
});
afterEach(async () => {
  Date.now = wallClock;
  await harness.close();
});

async function partitions(): Promise<string[]> {
  const { rows } = await harness.database.knex.raw(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = any(?::regclass[]) order by 1`,
    [tables],
  );
  return rows.map((row: { name: string }) => row.name);
}

const today = (table: string) => `${table}_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;

async function fireSome(count: number) {
  const target = await harness.addTarget();
  const rule = await harness.addRule([target.id]);
  await Promise.all(Array.from({ length: count }, () => harness.fire(rule)));
  return target;
}

async function expectDelivered(count: number) {
  await until(
    'all alerts are delivered',
    async () => {
      const ended = await harness.database.knex('deliveries').where({ status: 'succeeded' });
      return ended.length === count;
    },
    { timeoutMs: 25_000 },
  );
  expect(await harness.database.knex('dead_letters')).toEqual([]);
}

test.each([
  ['dropped', (name: string) => `drop table ${name}`],
  ['detached', (name: string) => `alter table ${name.split('_')[0]} detach partition ${name}`],
])('%s partitions of today are created again, and all alerts are delivered', async (_, lose) => {
  await harness.startWorker();
  for (const table of tables) await harness.database.knex.raw(lose(today(table)));
  await fireSome(30);
  await expectDelivered(30);
  expect(await partitions()).toEqual(expect.arrayContaining(tables.map(today)));
});

test('alerts are delivered once the missing partition of today can be created', async () => {
  await harness.startWorker();
  const { knex } = harness.database;
  await knex.raw(`drop table ${today('alerts')}; create table ${today('alerts')} (in_the_way integer)`);
  const failures = async () => {
    const { rows } = await knex.raw(
      'select xact_rollback::integer as count from pg_stat_database where datname = current_database()',
    );
    return rows[0].count as number;
  };
  const before = await failures();
  await fireSome(5);
  await until('the write was tried', async () => (await failures()) > before + 1);
  await knex.raw(`drop table ${today('alerts')}`);
  await expectDelivered(5);
});

test('writing an alert of a day without a partition fails with the error missing_partition', async () => {
  const acceptedAtMs = wallClock() - 100 * dayMs;
  const error = await harness
    .write([harness.plan([], { acceptedAtMs })], { acceptedAtMs })
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining('no partition') });
  expect(classifyDatabaseError(error)).toBe('missing_partition');
});

test('an outcome whose partition is missing is recorded after the partition is created', async () => {
  await harness.startWorker();
  await harness.database.knex.raw(`drop table ${today('attempts')}`);
  const target = await fireSome(1);
  await expectDelivered(1);
  const attempts = await harness.database.knex('attempts').select('status_code', 'number');
  expect(attempts).toEqual([{ status_code: 200, number: 1 }]);
  expect(harness.destination.at(target.path)).toHaveLength(1);
});

test('partitions are created before the worker consumes the first alert', async () => {
  const before = await partitions();
  for (const name of before) await harness.database.knex.raw(`drop table ${name}`);
  await harness.startWorker();
  expect(await partitions()).toEqual(before);
});

test.each([
  ['ahead', 100 * dayMs],
  ['behind', -100 * dayMs],
])('a worker whose clock is months %s writes to the partitions of today and drops none', async (_, offMs) => {
  const before = await partitions();
  Date.now = () => wallClock() + offMs;
  await harness.startWorker();
  await fireSome(5);
  await expectDelivered(5);
  for (const { accepted_at } of await harness.database.knex('alerts'))
    expect(Math.abs(accepted_at.getTime() - wallClock())).toBeLessThan(60_000);
  // A stopped worker has run its maintenance jobs at least once. If these jobs used the worker's clock, they would have
  // created partitions of other days or dropped existing ones.
  await harness.workers.pop()!.close(12_000);
  expect(await partitions()).toEqual(before);
});

test.each([
  ['ahead', 100 * dayMs],
  ['behind', -100 * dayMs],
])("a dead letter of a worker whose clock is months %s has the database's time", async (_, offMs) => {
  Date.now = () => wallClock() + offMs;
  await harness.startWorker();
  await harness.publishRaw(Buffer.from('{"no alert'));
  const letter = await until('the message is a dead letter', () =>
    harness.database.knex('dead_letters').first(),
  );
  expect(Math.abs(letter.created_at.getTime() - wallClock())).toBeLessThan(60_000);
  expect(timeOfRecordId(letter.id)).toBe(letter.created_at.getTime());
});
