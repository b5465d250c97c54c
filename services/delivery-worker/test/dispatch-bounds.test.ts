import { createDatabase, type Database } from '@tocsin/database';
import { createTestDatabase } from '@tocsin/testing/database';
import { createBacklogReader } from '../src/dispatch/backlog-reader.js';
import { createDispatchRepository, type DispatchRepository } from '../src/dispatch/dispatch-repository.js';
import type { Candidate } from '../src/dispatch/due-reader.js';
import { createDueWalk, type DueWalk } from '../src/dispatch/due-walk.js';
import { allocateRoundRobin } from '../src/dispatch/round-robin.js';
import { countEntriesRead } from './support/entries-read.js';

// Hundreds of thousands of webhooks have waiting deliveries. A pass of the dispatcher reads a bounded number of index
// entries, and a retry of another workspace is queued by one of the next passes.

let db: Awaited<ReturnType<typeof createTestDatabase>>;
/** Uses the same prepared plans as a worker, on one connection. */
let database: Database;
let repository: DispatchRepository;
let walk: DueWalk;

beforeEach(async () => {
  db = await createTestDatabase();
  database = createDatabase({ url: db.url, applicationName: 'test', plansByKey: true, poolSize: 1 });
  repository = createDispatchRepository(database, 60_000);
  walk = createDueWalk(repository);
  // The statements are planned here, for an empty table.
  await pass();
});
afterEach(async () => {
  await database.close();
  await db.drop();
});

const room = 400;
/** Index entries that a pass for 400 places may read; 300,000 webhooks have 600,000. */
const maxEntries = 12_000;

/** Queues deliveries as the dispatcher does, without limits of webhooks. Returns one entry for each place. */
async function pass(): Promise<Candidate[]> {
  const survey = await walk.next(room);
  const quotas = allocateRoundRobin(survey.candidates, room);
  walk.served(survey, quotas);
  if (survey.paused.length > 0) await repository.postpone(survey.paused.slice(0, 500), 1);
  if (quotas.size === 0) return [];
  await repository.queue([...quotas].map(([contender, quota]) => ({ contender, quota })));
  return [...quotas].flatMap(([candidate, quota]) => Array.from({ length: quota }, () => candidate));
}

const retry = { workspace_id: 'ffffffff-0000-4000-8000-000000000001' };

/** Adds waiting deliveries, one for each webhook. `dueIn` is SQL for the seconds until one is due. */
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
/** Adds deliveries of one webhook of another workspace that are due now. */
const addRetries = (count = 1) =>
  db.database.knex.raw(
    `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at, opened_at,
       claim)
     select gen_random_uuid(), :workspace_id, md5('retry')::uuid, gen_random_uuid(), 1, 'waiting', now(), now(), 0
     from generate_series(1, :count)`,
    { ...retry, count },
  );

/** Number of passes until the retry is queued, and the largest number of entries that one of them reads. */
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

test('300,000 webhooks of a workspace with deliveries due do not hold up another workspace', async () => {
  await addWaiting({ workspaces: 1, webhooks: 300_000, dueIn: '-random() * 60' });
  await addRetries();
  const { passes, entries } = await passesUntilRetry();
  expect(passes).toBe(1);
  expect(entries).toBeLessThan(maxEntries);
}, 120_000);

test('a webhook of another workspace gets half of the places while 300,000 webhooks want them', async () => {
  await addWaiting({ workspaces: 1, webhooks: 300_000, dueIn: '-random() * 60' });
  await addRetries(1_000);
  const places = await pass();
  expect(places).toHaveLength(room);
  expect(places.filter(({ workspaceId }) => workspaceId === retry.workspace_id)).toHaveLength(room / 2);
}, 120_000);

test.each([
  ['all of them due', '-random() * 60'],
  ['one of a hundred due', 'case when random() < 0.01 then -1 else 600 end'],
])(
  '50,000 webhooks of 500 workspaces, %s, do not hold up another workspace',
  async (_, dueIn) => {
    await addWaiting({ workspaces: 500, webhooks: 100, dueIn });
    await addRetries();
    const { passes, entries } = await passesUntilRetry();
    expect(passes).toBeLessThanOrEqual(5);
    expect(entries).toBeLessThan(maxEntries);
  },
  120_000,
);

test('16,000 paused webhooks of 800 workspaces leave the walk when they are postponed', async () => {
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

test('the gauges of a backlog of 300,000 webhooks read a bounded number of entries', async () => {
  const { backlog } = createBacklogReader(database);
  await backlog();
  await addWaiting({ workspaces: 3, webhooks: 100_000, dueIn: '-random() * 60' });
  expect(await countEntriesRead(database, backlog)).toBeLessThan(60_000);
}, 120_000);
