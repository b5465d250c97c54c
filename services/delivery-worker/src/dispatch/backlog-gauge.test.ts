import { createLogger, createMetrics } from '@tocsin/kit';
import { runBacklogGauge } from './backlog-gauge.js';
import type { Backlog } from './backlog-reader.js';
import { createDispatchMetrics } from './dispatch-metrics.js';

const waiting: Backlog = { due: 7, overdue: 3, oldestDueSeconds: 210, openCircuits: 1, retryAfters: 0 };
const silent = createLogger({ service: 'test', level: 'silent' });

/** Resolves to the first `times` reports of the gauge. */
async function reports(
  times: number,
  read: { queueDepth: () => Promise<number>; backlog?: () => Promise<Backlog>; hasLease?: boolean },
) {
  const stop = new AbortController();
  const seen: (Backlog & { ready: number })[] = [];
  const backlog = (values: Backlog & { ready: number }) => {
    seen.push(values);
    if (seen.length === times) stop.abort();
  };
  const { queueDepth, backlog: readBacklog = async () => waiting, hasLease = true } = read;
  await runBacklogGauge({
    repository: { backlog: readBacklog },
    lease: { leads: () => hasLease, isHeld: () => hasLease },
    queueDepth,
    metrics: { backlog, noBacklog() {} },
    logger: silent,
    signal: stop.signal,
  });
  return seen;
}

test('the gauge reports the backlog and the number of messages in the queue of deliveries', async () => {
  expect(await reports(1, { queueDepth: async () => 5 })).toEqual([{ ...waiting, ready: 5 }]);
});

test('while the broker is unavailable, the gauge reports the backlog and a queue depth of NaN', async () => {
  const queueDepth = () => Promise.reject(new Error('The broker is unavailable.'));
  expect(await reports(1, { queueDepth })).toEqual([{ ...waiting, ready: Number.NaN }]);
});

test('the backlog is NaN while the database is unavailable', async () => {
  const [seen] = await reports(1, {
    queueDepth: async () => 5,
    backlog: () => Promise.reject(new Error('connection terminated')),
  });
  expect(seen?.ready).toBe(5);
  expect(Object.values(seen ?? {}).filter(Number.isNaN)).toHaveLength(5);
});

test('a worker that is not the leader neither reads the backlog nor reports metrics about it', async () => {
  const stop = new AbortController();
  const registry = createMetrics({ service: 'test' });
  const metrics = createDispatchMetrics(registry, () => false);
  metrics.backlog({ ...waiting, ready: 5 });
  const served = async () =>
    (await registry.expose()).text.split('\n').filter((line) => /^tocsin_(?!build)/.test(line)).length;
  // The 8 series are one for the leader, one for the number of passes, four for the backlog, and two for the paused
  // webhooks. Only the first two remain in a worker that is not the leader.
  expect(await served()).toBe(8);
  await runBacklogGauge({
    repository: { backlog: () => Promise.reject(new Error('It was read.')) },
    lease: { leads: () => false, isHeld: () => true },
    queueDepth: () => Promise.reject(new Error('It was asked.')),
    metrics: {
      ...metrics,
      noBacklog() {
        metrics.noBacklog();
        stop.abort();
      },
    },
    logger: silent,
    signal: stop.signal,
  });
  expect(await served()).toBe(2);
});

test('each number that the backlog gauge reads is exported as a metric of its own', async () => {
  const registry = createMetrics({ service: 'test' });
  const metrics = createDispatchMetrics(registry, () => true);
  metrics.dispatchPassed();
  metrics.backlog({ ...waiting, ready: 5, retryAfters: 2 });
  const { text } = await registry.expose();
  const lines = text.split('\n').filter((line) => /^tocsin_(?!build)/.test(line));
  const values = lines.map((line) => line.replace(/,?service="test",?/, '').replace('{}', ''));
  expect(values.sort()).toEqual([
    'tocsin_deliveries_due 7',
    'tocsin_deliveries_overdue 3',
    'tocsin_dispatch_passes_total 1',
    'tocsin_leader 1',
    'tocsin_oldest_due_seconds 210',
    'tocsin_queue_ready 5',
    'tocsin_webhooks_paused{reason="circuit"} 1',
    'tocsin_webhooks_paused{reason="retry_after"} 2',
  ]);
});

test('a worker that cannot renew its lease reports the backlog, because there may be no leader', async () => {
  expect(await reports(1, { queueDepth: async () => 5, hasLease: false })).toEqual([
    { ...waiting, ready: 5 },
  ]);
});
