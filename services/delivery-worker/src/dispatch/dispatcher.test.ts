import type { DeliveryDue } from '@tocsin/contracts';
import { type Logger, sleep } from '@tocsin/kit';
import { type DispatchDeps, runDispatcher } from './dispatcher.js';
import type { Candidate, Survey } from './due-reader.js';
import type { Observed } from './window.js';

const candidateOf = (webhookId: string, changes: Partial<Candidate> = {}): Candidate => ({
  workspaceId: 'w',
  webhookId,
  due: 1,
  isFromWalk: true,
  probing: false,
  limited: false,
  queueBy: new Date(0),
  ...changes,
});

interface Setting {
  candidates?: Candidate[];
  paused?: Survey['paused'];
  /** Number of queued deliveries by webhook. */
  queued?: Record<string, number>;
  quota?: number;
  room?: number;
  alertsWaiting?: number;
  perSecond?: number;
  responsive?: boolean;
  isPartial?: boolean;
  /** Number of deliveries that the statement marks as queued. Default: the sum of the quotas. */
  found?: number;
  /** Error of the broker in each pass. */
  brokerErrors?: (Error | undefined)[];
  mayDispatch?: boolean;
  /** Result of `hasOpen` in each idle pass. Default: true. */
  open?: boolean[];
  /** True: the pause while no delivery is open ends at once. */
  wakes?: boolean;
  hasLimited?: boolean;
  /** Error of the statement that marks rows as queued. */
  queueError?: Error;
  leads?: boolean;
  workers?: number;
  /** Webhooks for which the fan-out wants a place in the queue before each pass. */
  wanted?: string[];
}

/**
 * Runs the passes of one dispatcher. Returns the calls of its dependencies, the time from the first pass to the last,
 * and the log.
 */
async function run(passes: number, setting: Setting = {}) {
  const { candidates = [], paused = [], queued = {}, quota = 1_000, room = 100, found } = setting;
  const { alertsWaiting = 0, perSecond = 0, responsive = true, isPartial = false } = setting;
  const stop = new AbortController();
  const calls: string[] = [];
  const startsMs: number[] = [];
  const backlogs: string[][] = [];
  const quotas: Record<string, number>[] = [];
  const published: DeliveryDue[][] = [];
  const postponed: { webhooks: string[]; limit: number }[] = [];
  const observed: Observed[] = [];
  const mayLead: boolean[] = [];
  const logged: string[] = [];
  const webhookIdsOf = (webhooks: Iterable<{ webhookId: string }>) =>
    Array.from(webhooks, ({ webhookId }) => webhookId);
  const startPass = () => {
    startsMs.push(performance.now());
    if (startsMs.length === passes) stop.abort();
  };
  const repository: DispatchDeps['repository'] = {
    async findWorkspaces() {
      return { workspaceIds: ['w'], next: isPartial ? 'w' : undefined };
    },
    async survey() {
      calls.push('survey');
      return {
        candidates,
        paused,
        hasLimited: setting.hasLimited === true,
        walkedTo: new Map([['w', undefined]]),
      };
    },
    async postpone(webhooks, limit) {
      postponed.push({ webhooks: webhookIdsOf(webhooks), limit });
    },
    async hasOpen() {
      const open = setting.open?.shift() ?? true;
      if (!open) {
        calls.push('empty');
        startPass();
      }
      return open;
    },
    async queued(wanted) {
      calls.push('queued');
      const webhooks = Object.entries(queued).map(([webhookId, count]) => ({
        workspaceId: 'w',
        webhookId,
        queued: count,
      }));
      return { webhooks, unclaimed: 7, backlogged: wanted };
    },
    async queue(places) {
      calls.push('queue');
      quotas.push(
        Object.fromEntries(places.map(({ contender, quota: given }) => [contender.webhookId, given])),
      );
      if (setting.queueError !== undefined) throw setting.queueError;
      const given = places.reduce((sum, place) => sum + place.quota, 0);
      return Array.from({ length: found ?? given }, (_, index) => ({ deliveryId: `d${index}`, run: 1 }));
    },
    async unqueue() {},
  };
  const log = (_: unknown, event: string) => void logged.push(event);
  await runDispatcher({
    repository,
    window: {
      acquire: () => true,
      release() {},
      room: () => room,
      dispatchRoom: () => room,
      perSecond: () => perSecond,
      finished() {},
      takeWanted: () => (setting.wanted ?? []).map((webhookId) => ({ workspaceId: 'w', webhookId })),
      observe: (seen) => void observed.push(seen),
    },
    async queueDepth() {
      calls.push('depth');
      startPass();
      const error = setting.brokerErrors?.shift();
      if (error !== undefined) throw error;
      return 7;
    },
    async publish(due) {
      calls.push('publish');
      published.push(due);
      return 0;
    },
    claims: { claimLimited: async () => [] },
    startLimited() {},
    slots: {
      queueQuota: () => quota,
      setBacklog(webhooks) {
        backlogs.push(webhookIdsOf(webhooks));
      },
      responsivenessOf: () => (responsive ? 'responsive' : 'unknown'),
    },
    replyLost: () => void calls.push('reply lost'),
    mayDispatch() {
      if (setting.mayDispatch !== false) return true;
      startPass();
      return false;
    },
    alertsWaiting: () => alertsWaiting,
    idleSleep: (ms, signal) => (setting.wakes ? Promise.resolve() : sleep(ms, signal)),
    lease: {
      leads() {
        if (setting.leads === false) startPass();
        return setting.leads !== false;
      },
      workers: () => setting.workers ?? 1,
    },
    setMayLead: (value) => void mayLead.push(value),
    metrics: { dispatchPassed: () => void calls.push('pass') },
    logger: { warn: log, debug: log } as unknown as Logger,
    signal: stop.signal,
  });
  const elapsedMs = startsMs.at(-1)! - startsMs[0]!;
  return { calls, elapsedMs, backlogs, quotas, published, postponed, observed, mayLead, logged };
}

test('a pass reads the due deliveries, marks them as queued and publishes them', async () => {
  const { calls, published, quotas, observed, backlogs, logged } = await run(1, {
    candidates: [candidateOf('a', { due: 2 }), candidateOf('b')],
    queued: { b: 3, c: 1 },
    wanted: ['d'],
  });
  expect(calls).toEqual(['pass', 'depth', 'queued', 'survey', 'queue', 'publish']);
  expect(quotas).toEqual([{ a: 2, b: 1 }]);
  expect(published).toEqual([
    [
      { deliveryId: 'd0', run: 1 },
      { deliveryId: 'd1', run: 1 },
      { deliveryId: 'd2', run: 1 },
    ],
  ]);
  expect(observed).toEqual([
    {
      ready: 7,
      queuedByWebhook: new Map([
        ['b', 3],
        ['c', 1],
      ]),
      backlogged: new Set(['d']),
      workers: 1,
    },
  ]);
  expect(backlogs).toEqual([['b', 'c', 'a']]);
  expect(logged).toEqual(['dispatch.queued']);
});

test('no row is marked while the broker is unavailable, and the next pass marks rows', async () => {
  const { calls, mayLead, logged } = await run(2, {
    candidates: [candidateOf('a')],
    brokerErrors: [new Error('The broker is unavailable.')],
  });
  expect(calls).toEqual(['pass', 'depth', 'queued', 'pass', 'depth', 'queued', 'survey', 'queue', 'publish']);
  expect(mayLead).toEqual([false, true]);
  expect(logged).toEqual(['dispatch.postponed', 'dispatch.queued']);
});

test('a lost reply to the statement that queues rows is reported, and another error is not', async () => {
  const candidates = [candidateOf('a')];
  const callsAfter = async (queueError: Error) => (await run(1, { candidates, queueError })).calls.slice(4);
  expect(await callsAfter(new Error('Connection terminated unexpectedly'))).toEqual(['queue', 'reply lost']);
  expect(await callsAfter(new Error('a defect'))).toEqual(['queue']);
});

test('a worker that may not dispatch makes no call, and checks again after the idle pause', async () => {
  const { calls, mayLead, elapsedMs } = await run(3, { mayDispatch: false });
  expect(calls).toEqual([]);
  expect(new Set(mayLead)).toEqual(new Set([false]));
  expect(elapsedMs).toBeGreaterThan(370);
});

test('a pass does not look for due deliveries while the window is full', async () => {
  const { calls, elapsedMs } = await run(3, { room: 0, candidates: [candidateOf('a')] });
  const pass = ['pass', 'depth', 'queued'];
  expect(calls).toEqual([...pass, ...pass, ...pass]);
  expect(elapsedMs).toBeGreaterThan(74);
  expect(elapsedMs).toBeLessThan(370);
});

test('a webhook may queue deliveries up to its quota, which includes those in the queue', async () => {
  const { quotas } = await run(1, {
    candidates: [candidateOf('a', { due: 9 }), candidateOf('b', { due: 9 }), candidateOf('c', { due: 9 })],
    queued: { b: 3, c: 6 },
    quota: 5,
  });
  expect(quotas).toEqual([{ a: 5, b: 2 }]);
});

test('a webhook whose pause has ended gets one delivery in the queue', async () => {
  const candidates = [
    candidateOf('probed', { due: 9, probing: true }),
    candidateOf('busy', { due: 9, probing: true }),
  ];
  expect((await run(1, { candidates, queued: { busy: 1 } })).quotas).toEqual([{ probed: 1 }]);
});

test.each([
  ['few alerts wait', { alertsWaiting: 199, perSecond: 2_000 }, 100],
  ['many alerts wait', { alertsWaiting: 200, perSecond: 2_000 }, 25],
  ['many alerts wait and little ends', { alertsWaiting: 200, perSecond: 0 }, 16],
])(
  'webhooks that are not responsive get all or a part of the free places while %s',
  async (_, setting, places) => {
    const { quotas } = await run(1, {
      candidates: [candidateOf('a', { due: 500 })],
      responsive: false,
      ...setting,
    });
    expect(quotas).toEqual([{ a: places }]);
  },
);

const pausedIn = (workspaces: number, each = 1) =>
  Array.from({ length: workspaces * each }, (_, index) => ({
    workspaceId: `w${index % workspaces}`,
    webhookId: `h${index}`,
  }));

test('deliveries of paused webhooks are postponed if they are due in more than 16 workspaces', async () => {
  expect((await run(1, { paused: pausedIn(16, 2) })).postponed).toEqual([]);
  const paused = pausedIn(17, 2);
  expect((await run(1, { paused })).postponed).toEqual([
    { webhooks: paused.map(({ webhookId }) => webhookId), limit: Math.floor(500 / 34) },
  ]);
});

test('a pass postpones at most 500 deliveries', async () => {
  const [postponed] = (await run(1, { paused: pausedIn(600) })).postponed;
  expect([postponed!.webhooks.length, postponed!.limit]).toEqual([500, 1]);
});

test('while no delivery is open, a pass runs one query and resets the window', async () => {
  const setting = { open: [false, false], queued: { a: 1 }, candidates: [candidateOf('a')], found: 0 };
  const { calls, observed, backlogs } = await run(3, { ...setting, wakes: true });
  expect(calls).toEqual(['pass', 'depth', 'queued', 'survey', 'queue', 'publish', 'empty', 'empty']);
  expect(observed.at(-1)).toEqual({
    ready: 0,
    queuedByWebhook: new Map(),
    backlogged: new Set(),
    workers: 1,
  });
  expect(backlogs.at(-1)).toEqual([]);
});

test('the dispatcher looks for due deliveries as soon as a delivery is open again', async () => {
  const { calls } = await run(3, { open: [false, true], wakes: true });
  const pass = ['pass', 'depth', 'queued', 'survey'];
  expect(calls).toEqual([...pass, 'empty', ...pass]);
});

// The dispatcher adds 25 % jitter to each pause. Each case runs three passes, with two pauses between them.
test.each<[string, Setting, number, number]>([
  ['250 ms while nothing is due', {}, 370, 2_000],
  [
    '250 ms after a pass that found nothing to mark',
    { candidates: [candidateOf('a')], found: 0 },
    370,
    2_000,
  ],
  ['1,000 ms while no delivery is open', { open: [false, false, false] }, 900, 4_000],
  ['250 ms while none is open in several workers', { open: [false, false, false], workers: 2 }, 370, 1_500],
  ['50 ms after a pass that queued something', { candidates: [candidateOf('a')] }, 74, 370],
  ['50 ms after a pass that postponed something', { paused: pausedIn(17) }, 74, 370],
  ['10 ms within a walk that found nothing', { isPartial: true }, 14, 370],
])('a dispatcher pauses for %s', async (_, setting, leastMs, mostMs) => {
  const { elapsedMs } = await run(3, setting);
  expect(elapsedMs).toBeGreaterThan(leastMs);
  expect(elapsedMs).toBeLessThan(mostMs);
});

test('a worker that is not the leader runs no statement while its fan-out wants no place', async () => {
  const { calls, observed, elapsedMs } = await run(3, { leads: false, workers: 2 });
  expect(calls).toEqual([]);
  expect(observed.at(-1)).toMatchObject({ ready: 0, workers: 2 });
  expect(elapsedMs).toBeGreaterThan(370);
});

test('a worker that is not the leader updates its window while its fan-out wants places', async () => {
  const { calls, observed, backlogs } = await run(2, {
    leads: false,
    workers: 2,
    wanted: ['a'],
    queued: { b: 3 },
  });
  expect(calls).toEqual(['queued', 'queued']);
  expect(observed[0]).toEqual({
    ready: 7,
    queuedByWebhook: new Map([['b', 3]]),
    backlogged: new Set(['a']),
    workers: 2,
  });
  expect(backlogs[0]).toEqual(['b', 'a']);
});

test('a pass that has filled an almost empty window is followed by the next after 10 ms', async () => {
  const candidates = [candidateOf('a', { due: 51 })];
  const runs = [await run(3, { candidates }), await run(3, { candidates }), await run(3, { candidates })];
  // Both pauses are measured together. One of the runs may be slow on a busy machine.
  expect(Math.min(...runs.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(74);
});
