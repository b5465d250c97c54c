import { randomUUID } from 'node:crypto';
import { ensurePartitions, firstIdAt } from '@tocsin/database';
import { createMetrics, type Logger } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { createTestDatabase, insertAlert, insertDelivery, type TestDatabase } from '@tocsin/testing/database';
import { createPartitionsAhead, removeExpired } from '../src/maintenance/maintenance-jobs.js';
import { createMaintenanceMetrics } from '../src/maintenance/maintenance-metrics.js';
import { maintenanceDeps } from './support/maintenance-deps.js';

const dayMs = 86_400_000;
let db: TestDatabase;
let stopping: AbortController;
let kept: Promise<void>;

beforeEach(async () => {
  db = await createTestDatabase();
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  await kept;
  await db.drop();
});

/**
 * Runs the retention jobs. Each delay lasts until `endDelays` ends it. `endDelays` ends the delays that have the given
 * length in milliseconds, or all delays if no length is given.
 */
function startRetentionJobs({ archive = false } = {}) {
  const registry = createMetrics({ service: 'test' });
  const delays: number[] = [];
  const sleepers: (() => void)[] = [];
  const wake = (ms?: number) => {
    for (let index = delays.length - 1; index >= 0; index -= 1) {
      if (ms !== undefined && delays[index] !== ms) continue;
      delays.splice(index, 1);
      for (const resolve of sleepers.splice(index, 1)) resolve();
    }
  };
  stopping.signal.addEventListener('abort', () => wake());
  kept = removeExpired(
    maintenanceDeps(db.database, {
      signal: stopping.signal,
      archive,
      metrics: createMaintenanceMetrics(registry),
      async wait(ms, signal) {
        if (signal.aborted) return;
        delays.push(ms);
        await new Promise<void>((resolve) => sleepers.push(resolve));
      },
    }),
  );
  return { delays, endDelays: wake, registry };
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const sorted = (delays: number[]) => [...delays].sort((a, b) => a - b);

test('a locked partition fails its job, which drops the partition a minute later', async () => {
  const old = Date.now() - 120 * dayMs;
  await ensurePartitions(db.database, old);
  const first = `deliveries_${new Date(old).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const existingName = async () =>
    (await db.database.knex.raw('select to_regclass(?) as name', [first])).rows[0].name;
  const reader = await db.database.knex.transaction();
  await reader.raw('select count(*) from alerts');
  const { delays, endDelays, registry } = startRetentionJobs();
  const succeeded = async () => {
    const { text } = await registry.expose();
    return [...text.matchAll(/last_duration_seconds\{maintenance="([^"]+)"/g)].map(([, job]) => job);
  };
  await until('every job waits', () => delays.length === 8);
  expect(sorted(delays)).toEqual([minuteMs, ...Array(7).fill(hourMs)]);
  expect(await existingName()).toBe(first);
  expect(await succeeded()).not.toContain('expired days');
  await reader.commit();
  // Autovacuum can also lock the partitions, so the job may need several repetitions.
  await until('the day is dropped', async () => {
    endDelays(minuteMs);
    return (await existingName()) === null;
  });
  await until('every job waits for an hour', () => delays.filter((ms) => ms === hourMs).length === 8);
  expect(await succeeded()).toContain('expired days');
});

test('dropping the partitions of a day also deletes the alert keys of that day', async () => {
  const { knex } = db.database;
  const old = Date.now() - 120 * dayMs;
  await ensurePartitions(db.database, old);
  const key = { workspace_id: randomUUID(), alert_id: randomUUID(), accepted_at: new Date(old) };
  await knex('alert_keys').insert(key);
  const reader = await knex.transaction();
  await reader.raw('select count(*) from alerts');
  const { delays, endDelays } = startRetentionJobs();
  await until('every job waits', () => delays.length === 8);
  expect(await knex('alert_keys')).toHaveLength(1);
  await reader.commit();
  // The hourly job that removes keys still waits, so only the job that drops the day can delete the key.
  await until('the day is dropped', () => {
    endDelays(minuteMs);
    return delays.filter((ms) => ms === hourMs).length === 8;
  });
  expect(await knex('alert_keys')).toEqual([]);
});

test('attempts are removed after the retention of attempts, and their deliveries are kept', async () => {
  const old = Date.now() - 20 * dayMs;
  await ensurePartitions(db.database, old);
  const alert = await insertAlert(db.database, { acceptedAtMs: old });
  await insertDelivery(db.database, { ...alert, acceptedAtMs: old, response: 'no' });
  const { delays } = startRetentionJobs();
  await until('every job waits', () => delays.length === 8);
  expect(await db.database.knex('attempts')).toEqual([]);
  expect(await db.database.knex('deliveries')).toHaveLength(1);
});

test('a failing retention job does not stop the other retention jobs', async () => {
  const { knex } = db.database;
  const old = new Date(Date.now() - 120 * dayMs);
  await knex('alert_keys').insert({ workspace_id: randomUUID(), alert_id: randomUUID(), accepted_at: old });
  await knex.raw(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'canceling statement due to statement timeout'; end $$`);
  await knex.raw('create trigger refuse before delete on alert_keys for each row execute function refuse()');
  const letter = {
    reason: 'invalid_message',
    detail: '',
    queue: 'q',
    routing_key: 'k',
    content: Buffer.of(),
  };
  await knex('dead_letters').insert([
    { ...letter, id: randomUUID(), created_at: old },
    { ...letter, id: randomUUID(), created_at: new Date() },
  ]);
  const job = {
    kind: 'redelivery',
    workspace_id: randomUUID(),
    filter: {},
    matched: 0,
    cursor: firstIdAt(0),
    created_by: 'test',
  };
  await knex('jobs').insert([
    { ...job, id: randomUUID(), status: 'done', created_at: old, updated_at: old },
    { ...job, id: randomUUID(), status: 'running', created_at: old, updated_at: old },
  ]);
  const event = { principal: 'p', principal_name: 'p', action: 'webhook.updated', resource_type: 'webhook' };
  await knex('audit_events').insert(
    [old, new Date()].map((time) => {
      const ids = { id: randomUUID(), resource_id: randomUUID() };
      return { ...event, ...ids, changed_fields: [], time };
    }),
  );
  const { delays } = startRetentionJobs();
  await until('every job waits', () => delays.length === 8);
  expect(sorted(delays)).toEqual([minuteMs, ...Array(7).fill(hourMs)]);
  expect(await knex('dead_letters')).toHaveLength(1);
  expect(await knex('jobs').pluck('status')).toEqual(['running']);
  expect(await knex('audit_events')).toHaveLength(1);
});

test("a worker whose clock differs from the database's clock logs the difference", async () => {
  const warnings: unknown[][] = [];
  kept = createPartitionsAhead(
    maintenanceDeps(db.database, {
      logger: { warn: (...line: unknown[]) => warnings.push(line) } as unknown as Logger,
      signal: stopping.signal,
      now: async () => Date.now() + 5 * minuteMs,
      wait: async () => stopping.abort(),
    }),
  );
  await kept;
  expect(warnings).toEqual([[{ ahead_ms: expect.any(Number) }, 'clock.differs_from_database']]);
});

test('with an archive, expired days move to the schema archive, and a metric shows their age', async () => {
  await ensurePartitions(db.database, Date.now() - 120 * dayMs);
  const { endDelays, registry } = startRetentionJobs({ archive: true });
  const archivedDays = async () => {
    const { rows } = await db.database.knex.raw(
      `select count(*)::integer as count from pg_class
       where relnamespace = 'archive'::regnamespace and relkind = 'r' and relname like 'alerts%'`,
    );
    return rows[0].count as number;
  };
  await until('nine days are moved', async () => {
    endDelays();
    return (await archivedDays()) === 9;
  });
  await until('the metric shows the age', async () => {
    endDelays();
    const { text } = await registry.expose();
    return Number(/^tocsin_archive_oldest_seconds\{.*\} (.*)$/m.exec(text)?.[1]) > 0;
  });
});
