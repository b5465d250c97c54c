import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import { createStage, type Stage } from './support/stage.js';

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
  await stage.startWorker();
});
afterEach(() => stage.close());

const letters = () => stage.database.knex('dead_letters').orderBy('id');

test.each([
  ['no delivery', () => `no delivery ${randomUUID()}`],
  ['a run that no row can have', () => `${randomUUID()}/${2 ** 31}`],
])(
  'a message of the deliveries that is %s is set aside, put back likewise, and holds nothing up',
  async (_, make) => {
    const content = Buffer.from(make());
    await stage.publishDue(content);
    const [letter] = await until('it is set aside', async () => {
      const rows = await letters();
      return rows.length === 1 && rows;
    });
    expect(letter).toMatchObject({
      reason: 'malformed_message',
      queue: 'deliveries',
      routing_key: 'delivery.due',
      content,
    });
    await stage.database.knex('dead_letters').update({ requeued_at: new Date() });
    await stage.publishDue(content);
    await until('it is set aside anew', async () => (await letters()).length === 2);
    const target = await stage.addTarget();
    await stage.write([stage.plan([target.id])]);
    await until('a delivery goes on', () => stage.destination.at(target.path).length === 1);
  },
);

test('of large messages among the deliveries few are taken at once, and all are set aside', async () => {
  await stage.database.knex.transaction(async (trx) => {
    // What was taken stays in hand.
    await trx.raw('lock table dead_letters in access exclusive mode');
    const large = Array.from({ length: 300 }, (_, index) => Buffer.alloc(100_000, `${index} `));
    await Promise.all(large.map((content) => stage.publishDue(content)));
    await until('the first have been taken', async () => (await stage.dueInQueue()) <= 50);
    await sleep(500);
    expect(await stage.dueInQueue()).toBe(50);
  });
  await until('all are set aside', async () => (await letters().select('id')).length === 300);
});
