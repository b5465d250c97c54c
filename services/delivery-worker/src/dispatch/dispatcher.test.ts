import { candidateOf, pausedIn, run } from '../../test/support/dispatcher-passes.js';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';

test('a pass reads the due deliveries, marks them as queued and publishes them', async () => {
  const { calls, published, places, observed, backlogs, logged, logFields } = await run(1, {
    candidates: [candidateOf('a', { due: 2 }), candidateOf('b')],
    queued: { b: 3, c: 1 },
    wanted: ['d'],
  });
  expect(calls).toEqual(['pass', 'depth', 'queued', 'scan', 'queue', 'publish']);
  expect(places).toEqual([{ a: 2, b: 1 }]);
  expect(published).toEqual([
    [
      { deliveryId: 'd0', run: 1 },
      { deliveryId: 'd1', run: 1 },
      { deliveryId: 'd2', run: 1 },
    ],
  ]);
  expect(observed).toEqual([
    {
      unclaimed: 7,
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
  expect(logFields).toEqual([{ queued: 3, unconfirmed: 2, unclaimed: 7, messages: 9 }]);
});

test('while the broker is unavailable, due deliveries stay waiting; a later pass queues them', async () => {
  const err = new Error('The broker is unavailable.');
  const { calls, mayLead, logged, logFields } = await run(2, {
    candidates: [candidateOf('a')],
    brokerErrors: [err],
  });
  expect(calls).toEqual(['pass', 'depth', 'queued', 'pass', 'depth', 'queued', 'scan', 'queue', 'publish']);
  expect(mayLead).toEqual([false, true]);
  expect(logged).toEqual(['dispatch.postponed', 'dispatch.queued']);
  expect(logFields[0]).toEqual({ err, count: 1 });
});

test('during an outage of the broker, a failed pass is logged once a minute with the count', async () => {
  const { logged, logFields } = await run(242, { brokerErrors: Array(242).fill(new Error('unavailable')) });
  expect(new Set(logged)).toEqual(new Set(['dispatch.postponed']));
  expect(logFields).toMatchObject([{ count: 1 }, { count: 240 }]);
});

test('a lost connection while rows are queued counts as a lost reply; another error does not', async () => {
  const candidates = [candidateOf('a')];
  const callsAfter = async (queueError: Error) => (await run(1, { candidates, queueError })).calls.slice(4);
  expect(await callsAfter(new Error('Connection terminated unexpectedly'))).toEqual(['queue', 'reply lost']);
  expect(await callsAfter(new Error('a defect'))).toEqual(['queue']);
});

test('a worker that may not dispatch runs no statement and checks every 250 ms whether it may', async () => {
  const { calls, mayLead, delaysMs } = await run(3, { mayDispatch: false });
  expect(calls).toEqual([]);
  expect(mayLead).toEqual([false, false, false]);
  expect(delaysMs).toEqual([250, 250]);
});

test('a pass does not look for due deliveries while the window is full', async () => {
  const { calls } = await run(3, { freePlaces: 0, candidates: [candidateOf('a')] });
  const pass = ['pass', 'depth', 'queued'];
  expect(calls).toEqual([...pass, ...pass, ...pass]);
});

test('a webhook has at most as many deliveries in the queue as its quota allows', async () => {
  const { places } = await run(1, {
    candidates: [candidateOf('a', { due: 9 }), candidateOf('b', { due: 9 }), candidateOf('c', { due: 9 })],
    queued: { b: 3, c: 6 },
    quota: 5,
  });
  expect(places).toEqual([{ a: 5, b: 2 }]);
});

test('a webhook whose pause has ended has at most one delivery that has not expired in the queue', async () => {
  const candidates = [
    candidateOf('probed', { due: 9, probing: true }),
    candidateOf('busy', { due: 9, probing: true }),
    candidateOf('old', { due: 9, probing: true, expired: 4 }),
  ];
  const { places } = await run(1, { candidates, queued: { busy: 1, old: 2 } });
  expect(places).toEqual([{ probed: 1, old: 3 }]);
});

test.each([
  ['all 100 places while 199 alerts wait', { alertsWaiting: 199, perSecond: 2_000 }, 100],
  ['25 of 100 places while 200 alerts wait', { alertsWaiting: 200, perSecond: 2_000 }, 25],
  ['at least 16 places while 200 alerts wait', { alertsWaiting: 200, perSecond: 0 }, 16],
])('webhooks that are not responsive get %s', async (_, setting, expected) => {
  const { places } = await run(1, {
    candidates: [candidateOf('a', { due: 500 })],
    responsive: false,
    ...setting,
  });
  expect(places).toEqual([{ a: expected }]);
});

test('responsive webhooks get all free places while many alerts wait', async () => {
  const { places } = await run(1, { candidates: [candidateOf('a', { due: 500 })], alertsWaiting: 200 });
  expect(places).toEqual([{ a: 100 }]);
});

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

test('while no delivery is open, the dispatcher runs one query and treats the window as empty', async () => {
  const setting = { open: [false, false], queued: { a: 1 }, candidates: [candidateOf('a')], found: 0 };
  const { calls, observed, backlogs } = await run(3, { ...setting, wakes: true });
  expect(calls).toEqual(['pass', 'depth', 'queued', 'scan', 'queue', 'publish', 'empty', 'empty']);
  expect(observed.at(-1)).toEqual({
    unclaimed: 0,
    queuedByWebhook: new Map(),
    backlogged: new Set(),
    workers: 1,
  });
  expect(backlogs.at(-1)).toStrictEqual([]);
});

test('the dispatcher looks for due deliveries as soon as a delivery is open again', async () => {
  const { calls } = await run(3, { open: [false, true], wakes: true });
  const pass = ['pass', 'depth', 'queued', 'scan'];
  expect(calls).toEqual([...pass, 'empty', ...pass]);
});

test('with an empty window and no requested place, a worker that does not lead runs no statement', async () => {
  const { calls, observed, delaysMs } = await run(3, { leads: false, workers: 2 });
  expect(calls).toEqual([]);
  expect(observed.at(-1)).toMatchObject({ unclaimed: 0, workers: 2 });
  expect(delaysMs).toEqual([250, 250]);
});

test('a worker that is not the leader counts queued rows again while its window is not empty', async () => {
  const { calls, observed } = await run(3, { leads: false, workers: 2, isEmpty: false, unclaimed: 12 });
  expect(calls).toEqual(['queued', 'queued', 'queued']);
  expect(observed.map(({ unclaimed }) => unclaimed)).toEqual([12, 12, 12]);
});

test('a worker that is not the leader updates its window while its fan-out requests places', async () => {
  const { calls, observed, backlogs, delaysMs } = await run(3, {
    leads: false,
    workers: 2,
    wanted: ['a'],
    queued: { b: 3 },
  });
  expect(calls).toEqual(['queued', 'queued', 'queued']);
  expect(observed[0]).toEqual({
    unclaimed: 7,
    queuedByWebhook: new Map([['b', 3]]),
    backlogged: new Set(['a']),
    workers: 2,
  });
  expect(backlogs[0]).toEqual(['b', 'a']);
  expect(delaysMs).toEqual([50, 50]);
});

test('after a failure, a worker that is not the leader checks the broker before it may lead', async () => {
  const { calls, mayLead } = await run(3, {
    leads: false,
    wanted: ['a'],
    queuedErrors: [new Error('The database is unavailable.')],
  });
  expect(calls).toEqual(['queued', 'depth', 'queued']);
  expect(mayLead).toEqual([false, true]);
});

describe('webhooks with a rate limit', () => {
  const candidates = [
    candidateOf('a'),
    candidateOf('slow', { due: 3, limited: true }),
    candidateOf('slower', { limited: true }),
  ];

  test('deliveries of rate-limited webhooks are claimed and started, and not marked as queued', async () => {
    const claims = ['x', 'y'].map((deliveryId) => ({ deliveryId }) as ClaimedDelivery);
    const setting = { candidates, claims, hasLimited: true, expiredInFlight: 290 };
    const { calls, limited, started, places, logged, logFields } = await run(2, setting);
    expect(limited).toEqual([
      {
        webhooks: [
          { workspaceId: 'w', webhookId: 'slow', places: 3 },
          { workspaceId: 'w', webhookId: 'slower', places: 1 },
        ],
        token: expect.any(String),
        maxExpired: 10,
      },
    ]);
    expect(started).toEqual(claims);
    expect(places).toEqual([{ a: 1 }, { a: 1 }]);
    const pass = ['pass', 'depth', 'queued', 'scan'];
    // The second pass runs while the worker stops. It claims no delivery, because the worker could no longer send it.
    expect(calls).toEqual([...pass, 'claim limited', 'queue', 'publish', ...pass, 'queue', 'publish']);
    expect([logged[0], logFields[0]]).toEqual(['dispatch.limited_started', { claimed: 2 }]);
  });

  test('the token of a claim whose reply is lost is passed on, so that the claim can be released', async () => {
    const setting = { candidates, hasLimited: true };
    const lost = await run(2, { ...setting, claimError: new Error('Connection terminated unexpectedly') });
    expect(lost.lostClaims).toEqual(lost.limited.map(({ token }) => token));
    expect(lost.lostClaims).toHaveLength(1);
    const failed = await run(2, { ...setting, claimError: new Error('no privilege') });
    expect(failed.lostClaims).toEqual([]);
  });

  test('a pass claims only deliveries of rate-limited webhooks and queues only other deliveries', async () => {
    const limitedOnly = await run(2, { candidates: candidates.slice(1), hasLimited: true });
    expect(limitedOnly.calls).not.toContain('queue');
    const queuedOnly = await run(2, { candidates: candidates.slice(0, 1), hasLimited: true });
    expect(queuedOnly.calls).not.toContain('claim limited');
    const notDue = await run(2, { candidates, hasLimited: false });
    expect(notDue.calls).not.toContain('claim limited');
  });
});
