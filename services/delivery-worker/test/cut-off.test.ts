import { randomUUID } from 'node:crypto';
import { Secret } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { createStage, type Stage } from './support/stage.js';

let stage: Stage;
/** The database's name for one of the workers, by which it alone is cut off. */
let role: string;

beforeEach(async () => {
  // Longer than the test: what is in hand there is nobody else's.
  stage = await createStage({ leases: { queuedMs: 60_000, claimMs: 300_000 } });
  role = `cut_off_${randomUUID().replaceAll('-', '')}`;
  await stage.database.knex.raw(`create role ${role} superuser login password '${role}'`);
});
afterEach(async () => {
  const { database } = stage;
  await database.knex.raw(`alter role ${role} login`);
  await Promise.all(stage.workers.splice(0).map((worker) => worker.close(12_000)));
  await database.knex.raw(`drop role ${role}`);
  await stage.close();
});

async function cutOff() {
  await stage.database.knex.raw(`alter role ${role} nologin`);
  await stage.database.knex.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
  );
}

function ownUrl() {
  const url = new URL(stage.config.databaseUrl.reveal());
  url.username = role;
  url.password = role;
  return new Secret(url.href);
}

const isReady = async (port: number) => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
const succeeded = (count: number) =>
  until(
    `${count} deliveries have succeeded`,
    async () => {
      const rows = await stage.database.knex('deliveries').where({ status: 'succeeded' });
      return rows.length === count && rows;
    },
    { timeoutMs: 90_000 },
  );

test('what a worker holds that alone is cut off from the database is handed back, and what it has sent is recorded', async () => {
  const slow = await stage.addTarget();
  let answer = () => {};
  stage.destination.respond(slow.path, (_, response) => {
    answer = () => response.end('ok');
  });
  const target = await stage.addTarget();
  const rule = await stage.addRule([target.id]);
  const worker = await stage.startWorker({ databaseUrl: ownUrl() });
  await stage.fire(await stage.addRule([slow.id]));
  await until('the request has gone out', () => stage.destination.at(slow.path).length === 1);
  await cutOff();
  await Promise.all(Array.from({ length: 50 }, () => stage.fire(rule)));
  await until('it has taken some', async () => (await stage.alertsInQueue()) < 50);
  answer();

  await stage.startWorker();
  await succeeded(50);
  expect(await isReady(worker.port)).toBe(false);
  expect(stage.destination.at(target.path)).toHaveLength(50);

  await stage.database.knex.raw(`alter role ${role} login`);
  const rows = await succeeded(51);
  for (const row of rows) expect(row).toMatchObject({ attempts_made: 1 });
  expect(stage.destination.at(slow.path)).toHaveLength(1);
  await until('it is ready again', () => isReady(worker.port));
}, 240_000);

test('a message that nobody can read, handed back by a worker that is cut off, is set aside once', async () => {
  const { knex } = stage.database;
  const [early, late] = ['{"early', '{"late'].map((text) => Buffer.from(text));
  const lettersOf = (content: Buffer) => knex('dead_letters').where({ content });
  const isSetAside = (content: Buffer) =>
    until(`${content} is set aside`, async () => (await lettersOf(content)).length > 0, {
      timeoutMs: 90_000,
    });
  await stage.startWorker({ databaseUrl: ownUrl() });
  await knex.transaction(async (trx) => {
    // Nothing is written before it is cut off.
    await trx.raw('lock table dead_letters in access exclusive mode');
    await stage.publishRaw(early!);
    await until('it has taken the message', async () => (await stage.alertsInQueue()) === 0);
    await cutOff();
  });

  const other = await stage.startWorker();
  await isSetAside(early!);
  await other.close(12_000);
  stage.workers.splice(stage.workers.indexOf(other), 1);

  // It takes messages again when it has nothing left to write.
  await knex.raw(`alter role ${role} login`);
  await stage.publishRaw(late!);
  await isSetAside(late!);
  expect(await lettersOf(early!)).toHaveLength(1);
}, 240_000);
