import { createLogger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import type { DispatchMetrics } from './dispatch-metrics.js';
import { type DispatcherDeps, runDispatcher } from './dispatcher.js';

const silent = createLogger({ service: 'test', level: 'silent' });
const candidate = { workspaceId: 'w', webhookId: 'h', due: 1, probing: false, queueBy: new Date() };

test('where another worker takes all that is due, what is due is not looked for again at once', async () => {
  const stop = new AbortController();
  let rounds = 0;
  const repository: DispatcherDeps['repository'] = {
    survey: async () => [candidate],
    queued: async () => ({ byWebhook: new Map(), unclaimed: 0 }),
    queue: async () => {
      rounds += 1;
      if (rounds === 3) stop.abort();
      return [];
    },
    unqueue: async () => {},
    backlog: () => Promise.reject(new Error('not asked here')),
    putBackExpired: async () => 0,
  };
  const startedAtMs = performance.now();
  await runDispatcher({
    repository,
    window: { take: () => true, giveBack() {}, room: () => 100, finished() {}, observe() {} },
    queueDepth: async () => 0,
    publish: async () => [],
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    slots: { queueQuota: () => 8, setBacklog() {} },
    metrics: {} as DispatchMetrics,
    logger: silent,
    signal: stop.signal,
  });
  // Two pauses of 250 ms, each a quarter shorter at the least.
  expect(performance.now() - startedAtMs).toBeGreaterThan(350);
});
