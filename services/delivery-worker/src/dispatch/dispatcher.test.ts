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
  limited: false,
  queueBy: new Date(),
};

/** Runs a dispatcher that always finds one due delivery, until `queue` aborts. */
async function run(
  queue: (stop: AbortController) => ReturnType<DispatchDeps['repository']['queue']>,
  changes: Partial<DispatchDeps> = {},
): Promise<void> {
  const stop = new AbortController();
  const repository: DispatchDeps['repository'] = {
    findWorkspaces: async () => ({ workspaceIds: ['w'], next: undefined }),
    survey: async () => ({
      candidates: [candidate],
      paused: [],
      hasLimited: false,
      walkedTo: new Map([['w', undefined]]),
    }),
    postpone: async () => {},
    queued: async () => ({ webhooks: [], unclaimed: 0 }),
    queue: () => queue(stop),
    unqueue: async () => {},
  };
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
    claims: { claimLimited: async () => [] },
    startLimited() {},
    slots: { queueQuota: () => 8, setBacklog() {}, responsivenessOf: () => 'responsive' },
    replyLost() {},
    mayDispatch: () => true,
    alertsWaiting: () => 0,
    metrics: {} as DispatchMetrics,
    logger: silent,
    signal: stop.signal,
    ...changes,
  });
}

test('a dispatcher that queued nothing pauses before its next round', async () => {
  let rounds = 0;
  const startedAtMs = performance.now();
  await run(async (stop) => {
    rounds += 1;
    if (rounds === 3) stop.abort();
    return [];
  });
  // Two pauses of 250 ms, each up to a quarter shorter.
  expect(performance.now() - startedAtMs).toBeGreaterThan(350);
});

test('a dispatcher reports a statement whose reply was lost', async () => {
  let lost = 0;
  const queue = async (stop: AbortController) => {
    stop.abort();
    throw new Error('Connection terminated unexpectedly');
  };
  await run(queue, {
    replyLost() {
      lost += 1;
    },
  });
  expect(lost).toBe(1);
});
