import { randomUUID } from 'node:crypto';
import { Secret } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { createWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

let harness: WorkerHarness;
/** Database role of one worker. `cutOff` ends its sessions and forbids new ones; other workers are unaffected. */
let role: string;

beforeEach(async () => {
  harness = await createWorkerHarness();
  role = `cut_off_${randomUUID().replaceAll('-', '')}`;
  await harness.database.knex.raw(`create role ${role} superuser login password '${role}'`);
});
afterEach(async () => {
  const { database } = harness;
  await database.knex.raw(`alter role ${role} login`);
  await Promise.all(harness.workers.splice(0).map((worker) => worker.close(12_000)));
  await database.knex.raw(`drop role ${role}`);
  await harness.close();
});

async function cutOff() {
  await harness.database.knex.raw(`alter role ${role} nologin`);
  await harness.database.knex.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
  );
}

function ownUrl() {
  const url = new URL(harness.config.databaseUrl.reveal());
  url.username = role;
  url.password = role;
  return new Secret(url.href);
}

const isReady = async (port: number) => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
const succeeded = (count: number) =>
  until(
    `${count} deliveries have succeeded`,
    async () => {
      const rows = await harness.database.knex('deliveries').where({ status: 'succeeded' });
      return rows.length === count && rows;
    },
    { timeoutMs: 90_000 },
  );

test('without the database, a worker returns its alerts to the broker and records outcomes later', async () => {
  const slow = await harness.addTarget();
  let respond: (() => void) | undefined;
  harness.destination.respond(slow.path, (_, response) => {
    if (respond === undefined) respond = () => response.end('ok');
    else response.end('ok');
  });
  const target = await harness.addTarget();
  const rule = await harness.addRule([target.id]);
  const worker = await harness.startWorker({ databaseUrl: ownUrl() });
  await harness.fire(await harness.addRule([slow.id]));
  await until('the request has gone out', () => harness.destination.at(slow.path).length === 1);
  await cutOff();
  await Promise.all(Array.from({ length: 50 }, () => harness.fire(rule)));
  await until('the worker has received some alerts', async () => (await harness.alertsInQueue()) < 50);
  respond?.();

  // The first worker cannot renew its lease without the database. The second worker therefore sends the delivery that
  // the first worker had claimed.
  await harness.startWorker();
  await succeeded(51);
  expect(await isReady(worker.port)).toBe(false);
  expect(harness.destination.at(target.path)).toHaveLength(50);

  await harness.database.knex.raw(`alter role ${role} login`);
  await until('it is ready again', () => isReady(worker.port));
  const attempts = await until('the late outcome is recorded', async () => {
    const rows = await harness.database.knex('deliveries').where({ attempts_made: 2 });
    return rows.length === 1 && rows;
  });
  expect(attempts).toMatchObject([{ webhook_id: slow.id, status: 'succeeded' }]);
  expect(await harness.database.knex('deliveries').where({ attempts_made: 1 })).toHaveLength(50);
  expect(harness.destination.at(slow.path)).toHaveLength(2);
}, 240_000);

test('a malformed message that a worker without the database returns becomes one dead letter', async () => {
  const { knex } = harness.database;
  const [early, late] = ['{"early', '{"late'].map((text) => Buffer.from(text));
  const lettersOf = (content: Buffer) => knex('dead_letters').where({ content });
  const isDeadLettered = (content: Buffer) =>
    until(`${content} is a dead letter`, async () => (await lettersOf(content)).length > 0, {
      timeoutMs: 90_000,
    });
  await harness.startWorker({ databaseUrl: ownUrl() });
  await knex.transaction(async (trx) => {
    // The lock prevents the worker from writing the dead letter before it loses the database.
    await trx.raw('lock table dead_letters in access exclusive mode');
    await harness.publishRaw(early!);
    await until('it has received the message', async () => (await harness.alertsInQueue()) === 0);
    await cutOff();
  });

  const other = await harness.startWorker();
  await isDeadLettered(early!);
  await other.close(12_000);
  harness.workers.splice(harness.workers.indexOf(other), 1);

  // The first worker consumes again only after it has written its own dead letters.
  await knex.raw(`alter role ${role} login`);
  await harness.publishRaw(late!);
  await isDeadLettered(late!);
  expect(await lettersOf(early!)).toHaveLength(1);
}, 240_000);
