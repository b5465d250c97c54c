import { createDatabase, type Database } from '@tocsin/database';
import { createTestDatabase } from '@tocsin/testing/database';
import { createBacklogReader } from '../src/dispatch/backlog-reader.js';
import type { Candidate } from '../src/dispatch/due-reader.js';
import { createDueScan, type DueScan } from '../src/dispatch/due-scan.js';
import { createQueueRepository, type QueueRepository } from '../src/dispatch/queue-repository.js';
import { allocateRoundRobin } from '../src/dispatch/round-robin.js';
import { countEntriesRead } from './support/entries-read.js';

// In these tests, up to 300,000 webhooks have waiting deliveries. Each pass of the dispatcher must read only a bounded
// number of index entries, and a due retry of another workspace must be queued within a few passes.

let db: Awaited<ReturnType<typeof createTestDatabase>>;
/** The test database with a single connection, which plans prepared statements like a connection of a worker. */
let database: Database;
let repository: QueueRepository;
let scan: DueScan;

beforeEach(async () => {
  db = await createTestDatabase();
  database = createDatabase({ url: db.url, applicationName: 'test', plansByKey: true, poolSize: 1 });
  repository = createQueueRepository(database, { queuedLeaseMs: 60_000, maxAgeMs: 86_400_000 });
  scan = createDueScan(repository);
  // The statements are planned here, while the table is empty. These plans must stay efficient when the table is full.
  await pass();
});
afterEach(async () => {
  await database.close();
  await db.drop();
});

const freePlaces = 400;
/**
 * Maximum number of index entries that a pass with 400 free places may read. Each waiting delivery has an entry in two
 * indexes of waiting deliveries, so 300,000 deliveries have 600,000 entries.
 */
const maxEntries = 12_000;

/**
 * Runs a pass of the dispatcher. The free places are divided round robin, without the queue quotas that a worker
 * applies. Returns the webhook of each queued delivery.
 */
async function pass(): Promise<Candidate[]> {
  const found = await scan.next(freePlaces);
  const places = allocateRoundRobin(found.candidates, freePlaces);
  scan.markServed(found, places);
  if (found.paused.length > 0) await repository.postpone(found.paused.slice(0, 500), 1);
  if (places.size === 0) return [];
  await repository.queue([...places].map(([candidate, count]) => ({ candidate, places: count })));
  return [...places].flatMap(([candidate, count]) => Array.from({ length: count }, () => candidate));
}

const retry = { workspace_id: 'ffffffff-0000-4000-8000-000000000001' };

/** Adds a waiting delivery for each webhook. `dueIn` is SQL for the seconds until the delivery is due. */
const addWaiting = ({
  workspaces,
  webhooks,
  dueIn,
}: {
  workspaces: number;
  webhooks: number;
  dueIn: string;
}) =>
  db.database.knex.raw(
    `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at, opened_at,
       claim)
     select gen_random_uuid(), md5('workspace' || w)::uuid, md5(w || '/' || h)::uuid, gen_random_uuid(), 1, 'waiting',
       now() + ${dueIn} * interval '1 second', now(), 0
     from generate_series(1, :workspaces) w, generate_series(1, :webhooks) h`,
    { workspaces, webhooks },
  );
/** Adds `count` due deliveries of one webhook in the workspace of `retry`, which has no other webhooks. */
const addRetries = (count = 1) =>
  db.database.knex.raw(
    `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at, opened_at,
       claim)
     select gen_random_uuid(), :workspace_id, md5('retry')::uuid, gen_random_uuid(), 1, 'waiting', now(), now(), 0
     from generate_series(1, :count)`,
    { ...retry, count },
  );

/**
 * Runs passes until the retry is queued. Returns the number of passes, and the largest number of index entries that a
 * single pass read.
 */
async function passesUntilRetry() {
  let entries = 0;
  for (let passes = 1; passes <= 20; passes += 1) {
    let found: Candidate[] = [];
    const read = await countEntriesRead(database, async () => {
      found = await pass();
    });
    entries = Math.max(entries, read);
    if (found.some(({ workspaceId }) => workspaceId === retry.workspace_id)) return { passes, entries };
  }
  return { passes: Number.POSITIVE_INFINITY, entries };
}

test('the first pass queues a retry while 300,000 webhooks of another workspace have a backlog', async () => {
  await addWaiting({ workspaces: 1, webhooks: 300_000, dueIn: '-random() * 60' });
  await addRetries();
  const { passes, entries } = await passesUntilRetry();
  expect(passes).toBe(1);
  expect(entries).toBeLessThan(maxEntries);
}, 120_000);

test('a webhook gets half of the places while 300,000 webhooks of another workspace need places', async () => {
  await addWaiting({ workspaces: 1, webhooks: 300_000, dueIn: '-random() * 60' });
  await addRetries(1_000);
  const places = await pass();
  expect(places).toHaveLength(freePlaces);
  expect(places.filter(({ workspaceId }) => workspaceId === retry.workspace_id)).toHaveLength(freePlaces / 2);
}, 120_000);

test.each([
  ['all of them due', '-random() * 60'],
  ['one of a hundred due', 'case when random() < 0.01 then -1 else 600 end'],
])(
  'a retry is queued within five passes while 500 workspaces have 50,000 webhooks, %s',
  async (_, dueIn) => {
    await addWaiting({ workspaces: 500, webhooks: 100, dueIn });
    await addRetries();
    const { passes, entries } = await passesUntilRetry();
    expect(passes).toBeLessThanOrEqual(5);
    expect(entries).toBeLessThan(maxEntries);
  },
  120_000,
);

test('a pass no longer reads webhooks whose deliveries were postponed during a pause', async () => {
  await addWaiting({ workspaces: 800, webhooks: 20, dueIn: '-random() * 60' });
  await db.database.knex.raw(
    `insert into webhook_pauses (webhook_id, reason, paused_until, times)
     select webhook_id, 'circuit', now() + interval '5 minutes', 1 from open_deliveries`,
  );
  await addRetries();
  const { passes, entries } = await passesUntilRetry();
  expect(passes).toBeLessThanOrEqual(8);
  expect(entries).toBeLessThan(maxEntries);
  for (let more = 0; more < 60; more += 1) await pass();
  const { rows } = await db.database.knex.raw(
    `select count(*)::integer as due from open_deliveries where state = 'waiting' and due_at <= now()`,
  );
  expect(rows[0].due).toBe(0);
  expect(await countEntriesRead(database, pass)).toBeLessThan(2_000);
}, 120_000);

test('measuring a backlog of 300,000 webhooks reads fewer than 60,000 index entries', async () => {
  const { backlog } = createBacklogReader(database);
  await backlog();
  await addWaiting({ workspaces: 3, webhooks: 100_000, dueIn: '-random() * 60' });
  expect(await countEntriesRead(database, backlog)).toBeLessThan(60_000);
}, 120_000);
