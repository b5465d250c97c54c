import type { Database } from '@tocsin/database';
import type { OpenDeliveryCounts } from '@tocsin/deliveries';
import { createLogger, createMetrics, type Logger } from '@tocsin/kit';
import { createPartitionsAhead, runMaintenance } from './maintenance-jobs.js';
import { createMaintenanceMetrics } from './maintenance-metrics.js';

const settings = {
  retentionDays: 90,
  retentionAttemptsDays: 14,
  archive: false,
  openDeliveries: {} as OpenDeliveryCounts,
  notices: { noticeAfterMs: 600_000, disableAfterMs: undefined },
};

async function runOnce(database: Database): Promise<string[]> {
  const stopping = new AbortController();
  const registry = createMetrics({ service: 'test' });
  await createPartitionsAhead({
    database,
    logger: createLogger({ service: 'test', level: 'silent' }),
    signal: stopping.signal,
    ...settings,
    metrics: createMaintenanceMetrics(registry),
    leads: () => true,
    now: async () => Date.now(),
    wait: async () => stopping.abort(),
  });
  const { text } = await registry.expose();
  return text.split('\n').filter((line) => line.startsWith('tocsin_maintenance_'));
}

test('a job without a success reports its start time as the last success, and no duration', async () => {
  const before = Date.now() / 1_000;
  const lines = await runOnce({} as Database);
  expect(lines).toEqual([expect.stringContaining('last_success_timestamp_seconds{maintenance="partitions"')]);
  expect(Number(lines[0]?.split(' ').at(-1))).toBeGreaterThanOrEqual(before - 0.01);
});

/**
 * Runs the maintenance jobs until the 50th delay. Each run of a job fails. Resolves to `tried`, the names of the jobs
 * that ran, `reported`, the names of the jobs that have a value in the metric for the time of the last success, and
 * `delays`, the different lengths of the delays in milliseconds.
 */
async function runAll(leads: () => boolean) {
  const stopping = new AbortController();
  const registry = createMetrics({ service: 'test' });
  const tried = new Set<string>();
  const delaysMs: number[] = [];
  await runMaintenance({
    database: {} as Database,
    logger: { warn: (fields: { job: string }) => tried.add(fields.job) } as unknown as Logger,
    signal: stopping.signal,
    ...settings,
    metrics: createMaintenanceMetrics(registry),
    leads,
    now: async () => Date.now(),
    async wait(ms) {
      delaysMs.push(ms);
      if (delaysMs.length === 50) stopping.abort();
    },
  });
  const { text } = await registry.expose();
  const reported = [...text.matchAll(/last_success_timestamp_seconds{maintenance="([^"]+)"/g)];
  const delays = [...new Set(delaysMs)].sort((a, b) => a - b);
  return { tried: [...tried], reported: reported.map(([, job]) => job), delays };
}

const frequent = ['statistics', 'jobs', 'notices'];
const hourly = [
  'partitions',
  'expired days',
  'expired attempts',
  'expired keys',
  'expired statistics',
  'expired dead letters',
  'expired jobs',
  'expired audit events',
  'deleted webhooks',
];
const [secondMs, minuteMs] = [1_000, 60_000];

test('the leader runs all jobs, and repeats a failed job after 5 s or 60 s', async () => {
  const { tried, reported, delays } = await runAll(() => true);
  expect(tried.sort()).toEqual([...frequent, ...hourly].sort());
  expect([reported.sort(), delays]).toEqual([tried, [5 * secondMs, minuteMs]]);
});

test('a worker that is not the leader runs and reports only the hourly jobs', async () => {
  const { tried, reported, delays } = await runAll(() => false);
  expect(tried.sort()).toEqual([...hourly].sort());
  expect([reported.sort(), delays]).toEqual([tried, [secondMs, 5 * secondMs, minuteMs]]);
});

test('a worker that loses the lead stops the frequent jobs and no longer reports them', async () => {
  let asked = 0;
  const { tried, reported } = await runAll(() => {
    asked += 1;
    return asked <= frequent.length;
  });
  expect(tried).toEqual(expect.arrayContaining(frequent));
  expect(frequent.filter((job) => reported.includes(job))).toEqual([]);
});
