import { randomUUID } from 'node:crypto';
import type { Database } from '@tocsin/database';
import { createOpenDeliveryCounts, type WebhookInWorkspace } from '@tocsin/deliveries';
import { useTestDatabase } from '@tocsin/testing/database';

const db = useTestDatabase();
let statements: number;
/** The test database. `statements` is the number of prepared statements that it has run. */
let database: Database;
beforeAll(() => {
  const { prepared } = db.database;
  database = {
    ...db.database,
    prepared: (statement, values) => {
      statements += 1;
      return prepared(statement, values);
    },
  };
});
beforeEach(() => {
  statements = 0;
});

const newWebhook = (workspaceId: string = randomUUID()) => ({ workspaceId, webhookId: randomUUID() });

const addOpen = ({ workspaceId, webhookId }: WebhookInWorkspace, count: number, state = 'waiting') =>
  db.database.knex.raw(
    `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at, opened_at,
       claim)
     select gen_random_uuid(), :workspaceId, :webhookId, gen_random_uuid(), 1, :state, now(), now(), 0
     from generate_series(1, :count)`,
    { workspaceId, webhookId, count, state },
  );

function countsAt(limits: { perWebhook: number; perWorkspace: number }) {
  const clock = { ms: 0 };
  return { clock, counts: createOpenDeliveryCounts(database, limits, () => clock.ms) };
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test('waiting and queued deliveries are counted for their webhook and for their workspace', async () => {
  const { counts } = countsAt({ perWebhook: 10, perWorkspace: 20 });
  const one = newWebhook();
  const other = newWebhook(one.workspaceId);
  await addOpen(one, 6);
  await addOpen(one, 2, 'queued');
  await addOpen(other, 7);
  await addOpen(newWebhook(), 5);
  await counts.refresh([one, other]);
  expect([counts.webhookFill(one), counts.webhookFill(other)]).toEqual([0.8, 0.7]);
  expect(counts.workspaceFill(one.workspaceId)).toBe(0.75);
  expect(statements).toBe(1);
});

test('a count of open deliveries stops at the limit of the webhook or workspace', async () => {
  const { counts } = countsAt({ perWebhook: 10, perWorkspace: 20 });
  const one = newWebhook();
  await addOpen(one, 50);
  await counts.refresh([one]);
  expect(counts.webhookFill(one)).toBe(1);
  expect(counts.workspaceFill(one.workspaceId)).toBe(1);
});

test('deliveries that are written while a count runs are added to the result of the count', async () => {
  const { counts } = countsAt({ perWebhook: 10, perWorkspace: 100 });
  const one = newWebhook();
  await counts.refresh([one]);
  const refreshed = counts.refresh([one, one]);
  for (const webhook of times(3, one)) counts.writing(webhook);
  counts.written(times(3, one));
  await refreshed;
  expect(statements).toBe(2);
  expect(counts.webhookFill(one)).toBe(0.3);
  expect(counts.workspaceFill(one.workspaceId)).toBe(0.03);
});

test('repeated refreshes count the open deliveries of a webhook once if no delivery is added', async () => {
  const { counts } = countsAt({ perWebhook: 1_000, perWorkspace: 10_000 });
  const one = newWebhook();
  for (let call = 0; call < 20; call += 1) await counts.refresh([one]);
  expect(statements).toBe(1);
});

test('a webhook can use its whole limit, and the first half takes fewer than 15 count statements', async () => {
  const { counts } = countsAt({ perWebhook: 1_000, perWorkspace: 100_000 });
  const one = newWebhook();
  let accepted = 0;
  let statementsOfHalf = 0;
  for (let batch = 0; batch < 200; batch += 1) {
    await counts.refresh(times(10, one));
    const rows = times(10, one).filter(() => {
      if (counts.webhookFill(one) >= 1) return false;
      counts.writing(one);
      return true;
    });
    await addOpen(one, rows.length);
    counts.written(rows);
    accepted += rows.length;
    if (accepted <= 500) statementsOfHalf = statements;
  }
  expect(accepted).toBe(1_000);
  expect(statementsOfHalf).toBeGreaterThan(0);
  expect(statementsOfHalf).toBeLessThan(15);
});

test('a webhook at 99 % of its limit is counted again only for a batch above 1 % of the limit', async () => {
  const { counts } = countsAt({ perWebhook: 1_000, perWorkspace: 100_000 });
  const one = newWebhook();
  await addOpen(one, 990);
  for (const wanted of [1, 5, 10]) await counts.refresh(times(wanted, one));
  expect(statements).toBe(1);
  await counts.refresh(times(11, one));
  expect(statements).toBe(2);
});

test('deliveries whose rows are still being written already count towards the limit', async () => {
  const { counts } = countsAt({ perWebhook: 10, perWorkspace: 100 });
  const one = newWebhook();
  await counts.refresh(times(10, one));
  for (const key of times(10, one)) counts.writing(key);
  await counts.refresh(times(10, one));
  expect(counts.webhookFill(one)).toBe(1);
  // The test simulates a failed write: `written` is called, and the database has no rows.
  counts.written(times(10, one));
  await counts.refresh([one]);
  expect(counts.webhookFill(one)).toBe(0);
});

test('a count is repeated after some time, because other processes may have added deliveries', async () => {
  const { counts, clock } = countsAt({ perWebhook: 100_000, perWorkspace: 1_000_000 });
  const one = newWebhook();
  await addOpen(one, 10);
  await counts.refresh([one]);
  await addOpen(one, 10);
  clock.ms = 15_000;
  await counts.refresh([one]);
  expect(counts.webhookFill(one)).toBe(0.0001);
  clock.ms = 25_000;
  await counts.refresh([one]);
  expect(counts.webhookFill(one)).toBe(0.0002);
});

test.each([
  ['an empty webhook', 0, 200],
  ['a full webhook', 1_000, 20],
])('the count of %s (%i open deliveries, limit 1,000) expires after %i ms', async (_, open, validMs) => {
  const { counts, clock } = countsAt({ perWebhook: 1_000, perWorkspace: 1_000_000 });
  const one = newWebhook();
  await addOpen(one, open);
  await counts.refresh([one]);
  clock.ms = validMs;
  await counts.refresh([one]);
  expect(statements).toBe(1);
  clock.ms += 1;
  await counts.refresh([one]);
  expect(statements).toBe(2);
});

test('four processes that add deliveries of a webhook exceed its limit by at most 10 %', async () => {
  const limit = 20_000;
  const one = newWebhook();
  const fill = async () => {
    const { counts } = countsAt({ perWebhook: limit, perWorkspace: 1_000_000 });
    for (;;) {
      await counts.refresh(times(100, one));
      const rows = times(100, one).filter(() => {
        if (counts.webhookFill(one) >= 1) return false;
        counts.writing(one);
        return true;
      });
      if (rows.length === 0) return;
      await addOpen(one, rows.length);
      counts.written(rows);
    }
  };
  await Promise.all(times(4, fill).map((run) => run()));
  const { rows } = await db.database.knex.raw(
    'select count(*)::integer as open from open_deliveries where webhook_id = ?',
    [one.webhookId],
  );
  expect(rows[0].open).toBeGreaterThanOrEqual(limit);
  expect(rows[0].open).toBeLessThanOrEqual(limit * 1.1);
}, 60_000);
