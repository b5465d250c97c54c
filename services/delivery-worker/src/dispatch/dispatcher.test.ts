import { createLogger } from '@tocsin/kit';
import type { DispatchMetrics } from './dispatch-metrics.js';
import { createSweepSchedule, type DispatchDeps, runDispatcher } from './dispatcher.js';

const silent = createLogger({ service: 'test', level: 'silent' });
const candidate = { workspaceId: 'w', webhookId: 'h', due: 1, probing: false, queueBy: new Date() };

test('a dispatcher that queued nothing pauses before its next round', async () => {
  const stop = new AbortController();
  let rounds = 0;
  const repository: DispatchDeps['repository'] = {
    survey: async () => [candidate],
    queued: async () => ({ byWebhook: new Map(), unclaimed: 0 }),
    queue: async () => {
      rounds += 1;
      if (rounds === 3) stop.abort();
      return [];
    },
    unqueue: async () => {},
    backlog: () => Promise.reject(new Error('not called here')),
    releaseExpired: async () => 0,
  };
  const startedAtMs = performance.now();
  await runDispatcher({
    repository,
    window: { acquire: () => true, release() {}, room: () => 100, finished() {}, observe() {} },
    queueDepth: async () => 0,
    publish: async () => 0,
    slots: { queueQuota: () => 8, setBacklog() {} },
    metrics: {} as DispatchMetrics,
    logger: silent,
    signal: stop.signal,
  });
  // Two pauses of 250 ms, each up to a quarter shorter.
  expect(performance.now() - startedAtMs).toBeGreaterThan(350);
});

function rounds() {
  const clock = { ms: 0 };
  const schedule = createSweepSchedule(() => clock.ms);
  const round = ({ ok = true, tookMs = 10 } = {}) => {
    const wasDue = schedule.isDue();
    if (wasDue) schedule.done();
    clock.ms += tookMs;
    schedule.roundEnded({ ok, tookMs });
    return wasDue;
  };
  return { clock, round };
}

test('expired leases are released every second', () => {
  const { clock, round } = rounds();
  const dueAtMs: number[] = [];
  while (clock.ms < 3_500) {
    const startedAtMs = clock.ms;
    if (round()) dueAtMs.push(startedAtMs);
  }
  expect(dueAtMs).toEqual([0, 1_000, 2_000, 3_000]);
});

test.each([
  ['that failed a round', [{ ok: false, tookMs: 5_000 }, { ok: false, tookMs: 100 }, { tookMs: 10 }]],
  ['that ended before any timeout', [{ tookMs: 30_000 }]],
])('owners of leases have three seconds to record after an outage %s', (_, outage) => {
  const { clock, round } = rounds();
  round();
  for (const each of outage) round(each);
  const endedAtMs = clock.ms;
  while (!round());
  expect(clock.ms - endedAtMs).toBeGreaterThanOrEqual(3_000);
  expect(clock.ms - endedAtMs).toBeLessThan(3_100);
});

test('expired leases are released even if every round is slow', () => {
  const { round } = rounds();
  const dues = Array.from({ length: 6 }, () => round({ tookMs: 8_000 }));
  expect(dues.filter(Boolean).length).toBeGreaterThanOrEqual(4);
});
