import { randomUUID } from 'node:crypto';
import { untilLockWaits } from '@tocsin/testing/database';
import { createAttempt } from './support/attempt.js';
import { createDatabaseFixtures, type DatabaseFixtures } from './support/database-fixtures.js';
import { usePlannedDatabase } from './support/planned-database.js';

const db = usePlannedDatabase();

const attempt = createAttempt();

async function fortyQueued(fixtures: DatabaseFixtures): Promise<string[]> {
  const webhookId = await fixtures.addWebhook();
  const planned = Array.from({ length: 40 }, () => fixtures.plan([webhookId], { state: 'queued' }));
  await fixtures.write(planned);
  return planned.map(({ deliveries }) => deliveries[0]!.id);
}

const dueOf = (ids: string[]) => ids.map((deliveryId) => ({ deliveryId, run: 1 }));

test('outcomes are recorded completely even if the statement waits for locked rows', async () => {
  const fixtures = createDatabaseFixtures(db.database);
  const ids = await fortyQueued(fixtures);
  const claimed = await fixtures.claims.claim(dueOf(ids), randomUUID());

  const releasing = await db.database.knex.transaction();
  await releasing('open_deliveries')
    .whereIn('delivery_id', ids.slice(10, 30))
    .update({ state: 'waiting', claimed_by: null, lease_until: null });
  const recording = fixtures.records.record(
    claimed.map((entry) => ({ claimed: entry, outcome: { kind: 'succeeded' as const }, attempt })),
  );
  await untilLockWaits(db.database);
  await releasing.commit();
  await recording;

  const rows = await db.database.knex('deliveries').whereIn('id', ids).select('status', 'attempts_made');
  expect(rows).toEqual(ids.map(() => ({ status: 'succeeded', attempts_made: 1 })));
  expect(await db.database.knex('open_deliveries').whereIn('delivery_id', ids)).toEqual([]);
});

test('a claim that had to wait for locked rows returns all deliveries that it claims', async () => {
  const fixtures = createDatabaseFixtures(db.database);
  const ids = await fortyQueued(fixtures);
  const changing = await db.database.knex.transaction();
  await changing('open_deliveries').whereIn('delivery_id', ids.slice(10, 30)).update({ due_at: new Date() });
  const claiming = fixtures.claims.claim(dueOf(ids), randomUUID());
  await untilLockWaits(db.database);
  await changing.commit();
  expect(new Set((await claiming).map(({ deliveryId }) => deliveryId))).toEqual(new Set(ids));
});
