import { randomUUID } from 'node:crypto';
import { useTestDatabase } from '@tocsin/testing/database';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase({ each: 'test' });
const fixtures = useDatabaseFixtures(db);

/**
 * The index of waiting deliveries is ordered by workspace. `paused` has the lower workspace id, so that its backlog is
 * read first.
 */
const paused = { workspaceId: '00000000-0000-4000-8000-000000000000', webhookId: randomUUID() };
const other = { workspaceId: 'ffffffff-ffff-4fff-bfff-ffffffffffff', webhookId: randomUUID() };

/** Inserts deliveries that became due `secondsAgo` seconds ago. */
async function addDue(
  webhook: { workspaceId: string; webhookId: string },
  { count = 1, secondsAgo }: { count?: number; secondsAgo: number },
) {
  await db.database.knex.raw(
    `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at,
       opened_at, claim)
     select gen_random_uuid(), :workspaceId, :webhookId, gen_random_uuid(), 1, 'waiting',
       now() - make_interval(secs => :secondsAgo), now(), 0
     from generate_series(1, :count)`,
    { ...webhook, count, secondsAgo },
  );
}

test('overdue deliveries are counted even if a paused webhook has many due deliveries', async () => {
  const pause = { webhook_id: paused.webhookId, reason: 'circuit', paused_until: new Date(), times: 1 };
  await db.database.knex('webhook_pauses').insert(pause);
  for (let tenth = 0; tenth < 11; tenth += 1) await addDue(paused, { count: 10_000, secondsAgo: 7_200 });
  await addDue(other, { count: 3, secondsAgo: 200 });
  await addDue(other, { count: 2, secondsAgo: 0 });
  await addDue(other, { secondsAgo: -3_600 });
  const backlog = await fixtures.gauges.backlog();
  expect(backlog).toMatchObject({ due: 10_005, overdue: 3, openCircuits: 1, retryAfters: 0 });
  expect(backlog.oldestDueSeconds).toBeGreaterThanOrEqual(200);
  expect(backlog.oldestDueSeconds).toBeLessThan(7_200);
}, 120_000);

test('deliveries of rate-limited webhooks are due, but never overdue', async () => {
  const limited = { ...paused, webhookId: await fixtures.addWebhook() };
  const limit = { webhook_id: limited.webhookId, requests: 1, period_ms: 1_000 };
  await db.database.knex('webhook_rate_limits').insert(limit);
  await addDue(limited, { count: 2, secondsAgo: 7_200 });
  await addDue(other, { secondsAgo: 30 });
  const { due, overdue, oldestDueSeconds } = await fixtures.gauges.backlog();
  expect([due, overdue]).toEqual([3, 0]);
  expect(oldestDueSeconds).toBeLessThan(7_200);
  await addDue(other, { secondsAgo: 90 });
  expect(await fixtures.gauges.backlog()).toMatchObject({ due: 4, overdue: 1 });
});

test('a circuit counts as paused for ten more minutes, a Retry-After pause only until its end', async () => {
  const inMs = (ms: number) => new Date(Date.now() + ms);
  const pauses = [
    ['circuit', -660_000],
    ['circuit', -540_000],
    ['circuit', 60_000],
    ['retry_after', -60_000],
    ['retry_after', 60_000],
    ['manual', 60_000],
  ] as const;
  for (const [reason, ms] of pauses)
    await db.database
      .knex('webhook_pauses')
      .insert({ webhook_id: randomUUID(), reason, paused_until: inMs(ms), times: 1 });
  expect(await fixtures.gauges.backlog()).toMatchObject({ openCircuits: 2, retryAfters: 1 });
});

test('an empty backlog is reported as zeros', async () => {
  const none = { due: 0, overdue: 0, oldestDueSeconds: 0, openCircuits: 0, retryAfters: 0 };
  expect(await fixtures.gauges.backlog()).toEqual(none);
});
