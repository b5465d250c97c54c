import { classifyDatabaseError, timeOfRecordId } from '@tocsin/database';
import { until } from '@tocsin/testing';
import { createStage, type Stage } from './support/stage.js';

const dayMs = 86_400_000;
const tables = ['alerts', 'deliveries', 'attempts'];
const wallClock = Date.now;
let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});
afterEach(async () => {
  Date.now = wallClock;
  await stage.close();
});

async function partitions(): Promise<string[]> {
  const { rows } = await stage.database.knex.raw(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = any(?::regclass[]) order by 1`,
    [tables],
  );
  return rows.map((row: { name: string }) => row.name);
}

const today = (table: string) => `${table}_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;

async function fireSome(count: number) {
  const target = await stage.addTarget();
  const rule = await stage.addRule([target.id]);
  await Promise.all(Array.from({ length: count }, () => stage.fire(rule)));
  return target;
}

async function expectDelivered(count: number) {
  await until(
    'all is delivered',
    async () => {
      const ended = await stage.database.knex('deliveries').where({ status: 'succeeded' });
      return ended.length === count;
    },
    { timeoutMs: 25_000 },
  );
  expect(await stage.database.knex('dead_letters')).toEqual([]);
}

test.each([
  ['dropped', (name: string) => `drop table ${name}`],
  ['detached', (name: string) => `alter table ${name.split('_')[0]} detach partition ${name}`],
])(
  'while the partitions of today are %s, nothing is set aside: they are made, and all is delivered',
  async (_, lose) => {
    await stage.startWorker();
    for (const table of tables) await stage.database.knex.raw(lose(today(table)));
    await fireSome(30);
    await expectDelivered(30);
    expect(await partitions()).toEqual(expect.arrayContaining(tables.map(today)));
  },
);

test('while the partitions of today cannot be made, nothing is set aside either, and all is delivered afterwards', async () => {
  await stage.startWorker();
  const { knex } = stage.database;
  await knex.raw(`drop table ${today('alerts')}; create table ${today('alerts')} (in_the_way integer)`);
  const failures = async () => {
    const { rows } = await knex.raw(
      'select xact_rollback::integer as count from pg_stat_database where datname = current_database()',
    );
    return rows[0].count as number;
  };
  const before = await failures();
  await fireSome(5);
  await until('it has been tried', async () => (await failures()) > before + 1);
  await knex.raw(`drop table ${today('alerts')}`);
  await expectDelivered(5);
});

test('a row of a day without a partition fails as such, and not as an invalid value', async () => {
  const acceptedAtMs = wallClock() - 100 * dayMs;
  const error = await stage
    .write([stage.plan([], { acceptedAtMs })], { acceptedAtMs })
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining('no partition') });
  expect(classifyDatabaseError(error)).toBe('missing_partition');
});

test('an outcome whose partition is missing is recorded once that is made, whole', async () => {
  await stage.startWorker();
  await stage.database.knex.raw(`drop table ${today('attempts')}`);
  const target = await fireSome(1);
  await expectDelivered(1);
  const attempts = await stage.database.knex('attempts').select('response', 'number');
  expect(attempts).toEqual([{ response: 'ok', number: 1 }]);
  expect(stage.destination.at(target.path)).toHaveLength(1);
});

test('after days without a worker, the partitions are there before the first alert is taken', async () => {
  const before = await partitions();
  for (const name of before) await stage.database.knex.raw(`drop table ${name}`);
  await stage.startWorker();
  expect(await partitions()).toEqual(before);
});

test.each([
  ['ahead', 100 * dayMs],
  ['behind', -100 * dayMs],
])('a worker whose clock is months %s drops nothing, and writes into the days that are', async (_, offMs) => {
  const before = await partitions();
  Date.now = () => wallClock() + offMs;
  await stage.startWorker();
  await fireSome(5);
  await expectDelivered(5);
  for (const { accepted_at } of await stage.database.knex('alerts'))
    expect(Math.abs(accepted_at.getTime() - wallClock())).toBeLessThan(60_000);
  // The chore has been through: it drops after it has made.
  await stage.workers.pop()!.close(12_000);
  expect(await partitions()).toEqual(before);
});

test.each([
  ['ahead', 100 * dayMs],
  ['behind', -100 * dayMs],
])('what a worker whose clock is months %s sets aside has the time that it is', async (_, offMs) => {
  Date.now = () => wallClock() + offMs;
  await stage.startWorker();
  await stage.publishRaw(Buffer.from('{"no alert'));
  const letter = await until('it is set aside', () => stage.database.knex('dead_letters').first());
  expect(Math.abs(letter.created_at.getTime() - wallClock())).toBeLessThan(60_000);
  expect(timeOfRecordId(letter.id)).toBe(letter.created_at.getTime());
});
