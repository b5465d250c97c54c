import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import { createWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

let harness: WorkerHarness;

beforeEach(async () => {
  harness = await createWorkerHarness();
  await harness.startWorker();
});
afterEach(() => harness.close());

const letters = () => harness.database.knex('dead_letters').orderBy('id');

test.each([
  ['an unreadable list', () => `no delivery ${randomUUID()}`],
  ['a run that no row can have', () => `${randomUUID()}/${2 ** 31}`],
])('a delivery message with %s becomes a dead letter, and a second one after a requeue', async (_, make) => {
  const content = Buffer.from(make());
  await harness.publishDue(content);
  const [letter] = await until('the message is a dead letter', async () => {
    const rows = await letters();
    return rows.length === 1 && rows;
  });
  expect(letter).toMatchObject({
    reason: 'malformed_message',
    queue: 'deliveries',
    routing_key: 'delivery.due',
    content,
  });
  await harness.database.knex('dead_letters').update({ requeued_at: new Date() });
  await harness.publishDue(content);
  await until('the message is a dead letter again', async () => (await letters()).length === 2);
  const target = await harness.addTarget();
  await harness.write([harness.plan([target.id])]);
  await until('another delivery is sent', () => harness.destination.at(target.path).length === 1);
});

test('at most 32 MiB of malformed delivery messages are in flight; each becomes a dead letter', async () => {
  await harness.database.knex.transaction(async (trx) => {
    // The table lock prevents the write of dead letters, so that messages stay in flight.
    await trx.raw('lock table dead_letters in access exclusive mode');
    const large = Array.from({ length: 600 }, (_, index) => Buffer.alloc(100_000, `${index} `));
    await Promise.all(large.map((content) => harness.publishDue(content)));
    // 335 of the messages fit into the limit of 32 MiB.
    await until('the first are in flight', async () => (await harness.dueInQueue()) <= 265);
    await sleep(500);
    expect(await harness.dueInQueue()).toBe(265);
  });
  await until('all are dead letters', async () => (await letters().select('id')).length === 600);
});
