import { randomUUID } from 'node:crypto';
import { recordId } from '@tocsin/database';
import { until } from '@tocsin/testing';
import { ago, minuteMs, nameForNotices, noticeBody, noticesOf, report } from './support/notices.js';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ each: 'test' });

test('a notice with the number of dead letters is written at most every five minutes', async () => {
  const target = await harness.addTarget({ body: noticeBody });
  await nameForNotices(harness, target.id);
  await harness.startWorker();
  const fire = () => harness.fire(randomUUID());
  await Promise.all([fire(), fire(), fire()]);
  await until(
    'they are dead letters',
    async () => (await harness.database.knex('dead_letters')).length === 3,
  );
  await report(harness);
  await fire();
  await until(
    'the fourth dead letter is written',
    async () => (await harness.database.knex('dead_letters')).length === 4,
  );
  await report(harness);
  const counted = async () => (await noticesOf(harness)).reduce((sum, { notice }) => sum + notice.count, 0);
  expect(await noticesOf(harness)).toHaveLength(1);
  const first = await counted();
  await harness.database.knex('dead_letter_notices').update({ noticed_at: ago(6 * minuteMs) });
  await report(harness);
  expect([first <= 3, await counted()]).toEqual([true, 4]);
  await until('both arrive', () => harness.destination.at(target.path).length === 2);
});

test('a dead letter that is committed late with a smaller id is counted by the next notice', async () => {
  const target = await harness.addTarget({ body: noticeBody });
  await nameForNotices(harness, target.id);
  const { knex } = harness.database;
  const write = (acceptedMs: number, workspaceId = harness.workspaceId) =>
    knex('dead_letters').insert({
      id: recordId(acceptedMs, randomUUID()),
      workspace_id: workspaceId,
      reason: 'unknown_alert_rule',
      detail: `of ${acceptedMs}`,
      queue: 'alert-fired',
      routing_key: 'alert.fired',
      content: Buffer.from('{}'),
      created_at: new Date(acceptedMs),
    });
  const nowMs = Date.now();
  const counts = async () => (await noticesOf(harness)).map(({ notice }) => [notice.count, notice.error]);
  await write(nowMs - 6 * minuteMs);
  await write(nowMs, randomUUID());
  await write(nowMs);
  await report(harness);
  expect(await counts()).toEqual([[1, `of ${nowMs}`]]);
  await write(nowMs - minuteMs / 2);
  await write(nowMs - minuteMs);
  await report(harness);
  expect(await counts()).toHaveLength(1);
  await knex('dead_letter_notices').update({ noticed_at: ago(6 * minuteMs) });
  await report(harness);
  expect(await counts()).toEqual([
    [1, `of ${nowMs}`],
    [2, `of ${nowMs - minuteMs / 2}`],
  ]);
  await knex('dead_letter_notices').update({ noticed_at: ago(6 * minuteMs) });
  expect(await report(harness)).toEqual([]);
});
