import { randomUUID } from 'node:crypto';
import { ensurePartitions } from '@tocsin/database';
import { untilLockWaits } from '@tocsin/testing/database';
import { createAttempt } from './support/attempt.js';
import { createDatabaseFixtures } from './support/database-fixtures.js';
import { usePlannedDatabase } from './support/planned-database.js';

const db = usePlannedDatabase();

const dayMs = 86_400_000;
const attempt = createAttempt();

/**
 * Accepts an alert at each of the times in `acceptedAt` and claims its delivery. Returns a successful outcome for each
 * delivery. The outcomes are not recorded yet.
 */
async function succeededAt(acceptedAt: number[]) {
  const fixtures = createDatabaseFixtures(db.database);
  const webhookId = await fixtures.addWebhook();
  const due = [];
  for (const acceptedAtMs of acceptedAt) {
    const planned = fixtures.plan([webhookId], { acceptedAtMs, state: 'queued' });
    await fixtures.write([planned], { acceptedAtMs });
    due.push({ deliveryId: planned.deliveries[0]!.id, run: 1 });
  }
  const claimed = await fixtures.claims.claim(due, randomUUID());
  const outcomes = claimed.map((entry) => ({
    claimed: entry,
    outcome: { kind: 'succeeded' as const },
    attempt,
  }));
  return { fixtures, webhookId, ids: due.map(({ deliveryId }) => deliveryId), outcomes };
}

const tableOfDay = (table: string, atMs: number) =>
  `${table}_${new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

test('a batch with deliveries of two days is recorded in the partitions of both days', async () => {
  const now = Date.now();
  const { fixtures, webhookId, ids, outcomes } = await succeededAt([now, now - dayMs, now]);
  await fixtures.records.record(outcomes);
  await fixtures.records.record(outcomes);
  const { knex } = db.database;
  expect(await knex('deliveries').whereIn('id', ids).select('status', 'attempts_made')).toEqual(
    ids.map(() => ({ status: 'succeeded', attempts_made: 1 })),
  );
  expect(await knex(tableOfDay('attempts', now)).whereIn('delivery_id', ids)).toHaveLength(2);
  expect(await knex(tableOfDay('attempts', now - dayMs)).whereIn('delivery_id', ids)).toHaveLength(1);
  expect(await knex('open_deliveries').whereIn('delivery_id', ids)).toEqual([]);
  const [counts] = await knex('delivery_stats_changes')
    .where({ webhook_id: webhookId })
    .sum({ open: 'open', succeeded: 'succeeded', attempts: 'attempts' });
  expect(counts).toEqual({ open: '0', succeeded: '3', attempts: '3' });
});

test('a statement that records an outcome locks only the partitions of the day of the delivery', async () => {
  const now = Date.now();
  for (let back = 8; back <= 40; back += 8) await ensurePartitions(db.database, now - back * dayMs);
  const { fixtures, ids, outcomes } = await succeededAt([now]);
  const holding = await db.database.knex.transaction();
  await holding('open_deliveries').whereIn('delivery_id', ids).update({ due_at: new Date() });
  const recording = fixtures.records.record(outcomes);
  await untilLockWaits(db.database);
  const { rows } = await db.database.knex.raw(
    `select distinct relname as name from pg_locks join pg_class on pg_class.oid = relation
     where relkind = 'r' and relname ~ '^(alerts|deliveries|attempts)_2' and pid <> pg_backend_pid() order by 1`,
  );
  await holding.commit();
  await recording;
  expect(rows).toEqual([{ name: tableOfDay('attempts', now) }, { name: tableOfDay('deliveries', now) }]);
});
