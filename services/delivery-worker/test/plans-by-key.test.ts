import { randomUUID } from 'node:crypto';
import { createAttempt } from './support/attempt.js';
import { createDatabaseFixtures, type DatabaseFixtures } from './support/database-fixtures.js';
import { candidateOf } from './support/dispatcher-passes.js';
import { countEntriesRead } from './support/entries-read.js';
import { usePlannedDatabase } from './support/planned-database.js';

const db = usePlannedDatabase({ poolSize: 1 });
let fixtures: DatabaseFixtures;
let webhookId: string;
/** Number of rows that are inserted after the statements were planned for a table with four rows. */
const manyRows = 3_000;

beforeAll(async () => {
  const { database } = db;
  fixtures = createDatabaseFixtures(database);
  webhookId = await fixtures.addWebhook();
  await write(manyRows, 'waiting');
  await database.knex('open_deliveries').delete();
  // After a vacuum of the empty table, its statistics say that it is small, so the planner considers every plan cheap.
  await database.knex.raw('vacuum (truncate false) open_deliveries');
});

async function write(count: number, state: 'waiting' | 'queued') {
  const planned = Array.from({ length: count }, () => fixtures.plan([webhookId], { state }));
  await fixtures.write(planned);
  return planned.map(({ deliveries }) => ({ deliveryId: deliveries[0]!.id, run: 1 }));
}

const failure = {
  code: 'http_status' as const,
  error: 'The destination responded with status 500.',
};
const attempt = createAttempt({ response: { statusCode: 500, body: 'no', truncated: false }, failure });
const retry = { kind: 'retry' as const, afterMs: 60_000, step: 1, failure };

test('a statement planned for a small table reads only the needed rows after the table has grown', async () => {
  const { claims, records, dispatch, lease } = fixtures;
  const visit = { workspaceId: fixtures.workspaceId, after: '00000000-0000-0000-0000-000000000000' };
  const [ended, retried, deferred, unqueued] = [
    await write(1, 'queued'),
    await write(1, 'queued'),
    await write(1, 'queued'),
    await write(1, 'queued'),
  ];
  const steps: Record<string, () => Promise<unknown>> = {
    claim: () => claims.claim([...ended, ...retried, ...deferred], randomUUID()),
    renew: () => lease.renew(3_000),
    record: () => records.record([{ claimed: claimed(ended), outcome: { kind: 'succeeded' }, attempt }]),
    retry: () => records.record([{ claimed: claimed(retried), outcome: retry, attempt }]),
    deferWithFailure: () =>
      records.defer([
        {
          claimed: claimed(deferred),
          deferral: { kind: 'deferred', afterMs: 60_000, reason: 'undecryptable', failure },
        },
      ]),
    defer: () =>
      records.defer([
        { claimed: claimed(deferred), deferral: { kind: 'deferred', afterMs: 60_000, reason: 'paused' } },
      ]),
    unqueue: () => dispatch.unqueue(unqueued),
    queued: () => dispatch.queued([{ workspaceId: fixtures.workspaceId, webhookId }]),
    queue: () => dispatch.queue([placesOf(2)]),
    findWorkspaces: () => dispatch.findWorkspaces({ after: undefined, steps: 10, workspaces: 10 }),
    findWebhooks: () =>
      fixtures.dispatch.findWebhooks([visit], { steps: 5, webhooks: 5, oldest: 5, places: 5 }),
    postpone: () => dispatch.postpone([{ workspaceId: fixtures.workspaceId, webhookId }], 5),
    releaseExpired: () => lease.releaseExpired({ inFlight: [], releaseBy: new Date(Date.now() + 600_000) }),
  };
  // PostgreSQL plans each statement at its first run, while the table has four rows.
  for (const plan of Object.values(steps)) await plan();
  const others = await write(manyRows, 'waiting');
  await writeAttempts(others);
  await fixtures.pauses.pause([
    { webhookId, version: 1, reason: 'circuit', forMs: 60_000, times: 1, error: '' },
  ]);
  const read: Record<string, number> = {};
  for (const [name, step] of Object.entries(steps))
    read[name] = await countEntriesRead(db.database, step, '^(open_deliveries|deliveries_|attempts_)');
  expect(Object.entries(read).filter(([, entries]) => entries > 50)).toEqual([]);
});

/** Inserts an attempt for each delivery, without the worker's record statement, which this test measures. */
async function writeAttempts(due: { deliveryId: string }[]): Promise<void> {
  const ids = due.map(({ deliveryId }) => deliveryId);
  await db.database.knex.raw(
    `insert into attempts (delivery_id, claim, number, trigger, started_at, duration_ms, destination,
                          exchange_encrypted)
     select id, 1, 1, 'scheduled', now(), 5, 'https://chat.example.com', '' from unnest(?::uuid[]) as a(id)`,
    [ids],
  );
}

const claimed = ([due]: { deliveryId: string; run: number }[]) => ({
  ...due!,
  claim: 1,
  claimsWithoutOutcome: 1,
  step: 0,
  ageMs: 0,
  manual: false,
  workspaceId: fixtures.workspaceId,
  webhookId,
  requestId: null,
  traceparent: null,
  facts: {} as never,
  webhook: undefined,
  pause: undefined,
  claimedAtMs: 0,
});

const placesOf = (places: number) => ({
  candidate: candidateOf(webhookId, {
    workspaceId: fixtures.workspaceId,
    queueBy: new Date(Date.now() + 60_000),
  }),
  places,
});
