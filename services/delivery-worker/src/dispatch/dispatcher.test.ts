import { createLogger } from '@tocsin/kit';
import type { DispatchMetrics } from './dispatch-metrics.js';
import { type DispatchDeps, runDispatcher } from './dispatcher.js';

const silent = createLogger({ service: 'test', level: 'silent' });
const candidate = {
  workspaceId: 'w',
  webhookId: 'h',
  due: 1,
  isFromWalk: true,
  probing: false,
  queueBy: new Date(),
};

test('a dispatcher that queued nothing pauses before its next round', async () => {
  const stop = new AbortController();
  let rounds = 0;
  const repository: DispatchDeps['repository'] = {
    findWorkspaces: async () => ({ workspaceIds: ['w'], next: undefined }),
    survey: async () => ({ candidates: [candidate], paused: [], walkedTo: new Map([['w', undefined]]) }),
    postpone: async () => {},
    queued: async () => ({ webhooks: [], unclaimed: 0 }),
    queue: async () => {
      rounds += 1;
      if (rounds === 3) stop.abort();
      return [];
    },
    unqueue: async () => {},
  };
  const startedAtMs = performance.now();
  await runDispatcher({
    repository,
    window: {
      acquire: () => true,
      release() {},
      room: () => 100,
      dispatchRoom: () => 100,
      perSecond: () => 0,
      finished() {},
      observe() {},
      setBacklog() {},
    },
    queueDepth: async () => 0,
    publish: async () => 0,
    slots: { queueQuota: () => 8, setBacklog() {}, responsivenessOf: () => 'responsive' },
    mayDispatch: () => true,
    alertsWaiting: () => 0,
    metrics: {} as DispatchMetrics,
    logger: silent,
    signal: stop.signal,
  });
  // Two pauses of 250 ms, each up to a quarter shorter.
  expect(performance.now() - startedAtMs).toBeGreaterThan(350);
});
