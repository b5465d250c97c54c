import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@tocsin/database';
import { createTestDatabase, untilLockWaits } from '@tocsin/testing/database';
import { createDatabaseFixtures, type DatabaseFixtures } from './support/database-fixtures.js';

let db: Awaited<ReturnType<typeof createTestDatabase>>;
/** Connections with the prepared plans of a worker. */
let database: Database;

beforeAll(async () => {
  db = await createTestDatabase();
  database = createDatabase({ url: db.url, applicationName: 'test', plansByKey: true });
});
afterAll(async () => {
  await database.close();
  await db.drop();
});

const attempt = {
  trigger: 'scheduled' as const,
  startedAt: new Date(),
  durationMs: 12,
  destination: 'http://127.0.0.1:9',
  requestBody: '{}',
  response: { statusCode: 200, body: 'ok', truncated: false },
  failure: undefined,
  note: undefined,
};

async function fortyQueued(fixtures: DatabaseFixtures): Promise<string[]> {
  const webhookId = await fixtures.addWebhook();
  const planned = Array.from({ length: 40 }, () => fixtures.plan([webhookId], { state: 'queued' }));
  await fixtures.write(planned);
  return planned.map(({ deliveries }) => deliveries[0]!.id);
}

const dueOf = (ids: string[]) => ids.map((deliveryId) => ({ deliveryId, run: 1 }));

test('a record that had to wait for locked rows is complete after their release', async () => {
  const fixtures = createDatabaseFixtures(database);
  const ids = await fortyQueued(fixtures);
  const claimed = await fixtures.claims.claim(dueOf(ids), randomUUID());

  const releasing = await database.knex.transaction();
  await releasing('open_deliveries')
    .whereIn('delivery_id', ids.slice(10, 30))
    .update({ state: 'waiting', claimed_by: null, lease_until: null });
  const recording = fixtures.records.record(
    claimed.map((entry) => ({ claimed: entry, outcome: { kind: 'succeeded' as const }, attempt })),
  );
  await untilLockWaits(database);
  await releasing.commit();
  await recording;

  const rows = await database.knex('deliveries').whereIn('id', ids).select('status', 'attempts_made');
  expect(rows).toEqual(ids.map(() => ({ status: 'succeeded', attempts_made: 1 })));
  expect(await database.knex('open_deliveries').whereIn('delivery_id', ids)).toEqual([]);
});

test('a claim that had to wait for locked rows returns all deliveries that it claims', async () => {
  const fixtures = createDatabaseFixtures(database);
  const ids = await fortyQueued(fixtures);
  const changing = await database.knex.transaction();
  await changing('open_deliveries').whereIn('delivery_id', ids.slice(10, 30)).update({ due_at: new Date() });
  const claiming = fixtures.claims.claim(dueOf(ids), randomUUID());
  await untilLockWaits(database);
  await changing.commit();
  expect(new Set((await claiming).map(({ deliveryId }) => deliveryId))).toEqual(new Set(ids));
});
