import { randomUUID } from 'node:crypto';
import { firstIdAt } from '@tocsin/database';
import { until } from '@tocsin/testing';
import { insertDelivery, useTestDatabase } from '@tocsin/testing/database';
import { runMaintenance } from '../src/maintenance/maintenance-jobs.js';
import { maintenanceDeps } from './support/maintenance-deps.js';

const db = useTestDatabase();
const [hourMs, jobPollMs] = [3_600_000, 500];

/** Adds a job that redelivers the deliveries of a webhook, and two deliveries that match. */
async function addJob(): Promise<void> {
  const [workspaceId, webhookId] = [randomUUID(), randomUUID()];
  const acceptedAtMs = Date.now() - 60_000;
  for (let count = 0; count < 2; count += 1)
    await insertDelivery(db.database, { workspaceId, webhookId, acceptedAtMs });
  const until = new Date();
  await db.database.knex('jobs').insert({
    id: randomUUID(),
    kind: 'redelivery',
    workspace_id: workspaceId,
    filter: { status: 'failed', webhook_id: webhookId, until: until.toISOString() },
    matched: 2,
    cursor: firstIdAt(until.getTime()),
    status: 'running',
    created_by: 'issuer#ada',
    created_at: until,
    updated_at: db.database.knex.raw('clock_timestamp()'),
  });
}

test('maintenance jobs pause after a success, and jobs of users pause only if all of them wait', async () => {
  await addJob();
  await addJob();
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  /** Delays between the pages of the jobs of users, in milliseconds. Their delays are the only ones below 5 s. */
  const jobDelays: number[] = [];
  const otherDelays: number[] = [];
  // With a limit of one, each job reopens one delivery and must wait with the other one.
  const running = runMaintenance(
    maintenanceDeps(db.database, {
      signal: stopping.signal,
      async wait(ms) {
        (ms <= jobPollMs ? jobDelays : otherDelays).push(ms);
        if (ms > jobPollMs || jobDelays.length >= 6) await stopped;
      },
    }),
  );
  await until('every maintenance job waits', () => jobDelays.length === 6 && otherDelays.length === 11);
  stopping.abort();
  await running;
  expect(jobDelays).toEqual([0, 0, jobPollMs, 0, 0, jobPollMs]);
  // The statistics and the notices are repeated every 5 s, the partitions and the eight retention jobs every hour.
  expect(otherDelays.sort((a, b) => a - b)).toEqual([5_000, 5_000, ...Array(9).fill(hourMs)]);
});
