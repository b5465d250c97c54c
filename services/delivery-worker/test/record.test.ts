import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/database/testing';
import { createLogger } from '@tocsin/kit';
import { until } from '@tocsin/kit/testing';
import { createPatience } from '../src/committing/patience.js';
import type { Claimed } from '../src/delivery/claimed.js';
import { createRecorder } from '../src/delivery/record.js';
import type { Attempt, Verdict } from '../src/delivery/verdict.js';
import { createScene, type Scene } from './support/scene.js';

let db: TestDatabase;
let scene: Scene;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());
beforeEach(() => {
  scene = createScene(db.database);
});

const succeeded: Verdict = { kind: 'succeeded' };
const retry: Verdict = {
  kind: 'retry',
  afterMs: 60_000,
  step: 1,
  failure: { code: 'timeout', error: 'Too slow.' },
};

function attempt(statusCode = 200): Attempt {
  return {
    trigger: 'scheduled',
    startedAt: new Date(),
    durationMs: 12.4,
    requestBody: '{"a":1}',
    response: { statusCode, body: 'ok\0 \ud800', truncated: false },
    failure: undefined,
    note: undefined,
  };
}

async function oneQueued(): Promise<{ deliveryId: string; generation: number }> {
  const webhookId = await scene.addWebhook();
  const planned = scene.plan([webhookId], { state: 'queued' });
  await scene.write([planned]);
  return { deliveryId: planned.deliveries[0]!.id, generation: 1 };
}

async function claimOne(due: { deliveryId: string; generation: number }): Promise<Claimed> {
  const [claimed] = await scene.claims.claim([due], randomUUID());
  return claimed!;
}

test('a claim gives the alert’s facts and the webhook’s version, and nobody else can claim', async () => {
  const due = await oneQueued();
  const claimed = await claimOne(due);
  expect(claimed).toMatchObject({
    claim: 1,
    crashes: 1,
    step: 0,
    facts: { model_name: 'churn', metric_value: 0.5 },
  });
  expect(claimed.webhook).toEqual({ version: 1, enabled: true, retryOnTimeout: true });
  expect(await scene.claims.claim([due], randomUUID())).toEqual([]);
});

test('a claim whose commit was not heard of can be repeated by its own batch', async () => {
  const due = await oneQueued();
  const token = randomUUID();
  await scene.claims.claim([due], token);
  const [again] = await scene.claims.claim([due], token);
  expect(again).toMatchObject({ deliveryId: due.deliveryId, claim: 2, crashes: 1 });
});

test('what is written as claimed is nobody else’s, and its writer can claim it again where the answer was lost', async () => {
  const webhookId = await scene.addWebhook();
  const planned = scene.plan([webhookId], { state: 'claimed' });
  const due = { deliveryId: planned.deliveries[0]!.id, generation: 1 };
  const token = randomUUID();
  const { leaseEndsAtMs } = await scene.write([planned], { token });
  expect(leaseEndsAtMs - performance.now()).toBeLessThanOrEqual(30_000);
  expect(await scene.open(due.deliveryId)).toMatchObject({
    state: 'queued',
    claimed: true,
    claim: 1,
    crashes: 1,
  });
  expect(await scene.claims.claim([due], randomUUID())).toEqual([]);
  expect(await scene.claims.claim([due], token)).toMatchObject([{ claim: 2, crashes: 1 }]);
});

test('what was written as claimed by a worker that died is put back when its lease has run out', async () => {
  const planned = scene.plan([await scene.addWebhook()], { state: 'claimed' });
  const { id } = planned.deliveries[0]!;
  await scene.write([planned]);
  await scene.dispatch.putBackExpired();
  expect(await scene.open(id)).toMatchObject({ state: 'queued', claimed: true });
  await scene.database
    .knex('open_deliveries')
    .where({ delivery_id: id })
    .update({ lease_until: new Date(0) });
  await scene.dispatch.putBackExpired();
  expect(await scene.open(id)).toMatchObject({ state: 'waiting', claimed: false, claim: 1 });
});

describe('of deliveries that have seen three workers die', () => {
  let due: { deliveryId: string; generation: number }[];
  const open = () =>
    scene.database
      .knex('open_deliveries')
      .whereIn(
        'delivery_id',
        due.map(({ deliveryId }) => deliveryId),
      )
      .orderBy(['crashes', { column: 'claimed', order: 'desc' }]);

  beforeEach(async () => {
    due = [await oneQueued(), await oneQueued(), await oneQueued()];
    for (const [index, { deliveryId }] of due.entries())
      await scene.database
        .knex('open_deliveries')
        .where({ delivery_id: deliveryId })
        .update({ crashes: [6, 4, 3][index] });
  });

  test('none is claimed with others, and one alone: which has seen the fewest', async () => {
    const token = randomUUID();
    expect(await scene.claims.claim(due, token)).toEqual([]);
    const claimed = { deliveryId: due[2]!.deliveryId, crashes: 4 };
    expect(await scene.claims.claimSuspect({ due, token, maxDeaths: 4 })).toMatchObject(claimed);
    // Its answer was lost: the same one again, and counted once.
    expect(await scene.claims.claimSuspect({ due, token, maxDeaths: 4 })).toMatchObject(claimed);
    expect(await open()).toMatchObject([{ claimed: true }, { claimed: false }, { claimed: false }]);
  });

  test('none is claimed that has seen more of them than it may, but for one that is not sent any more', async () => {
    const claim = (maxDeaths: number) =>
      scene.claims.claimSuspect({ due: due.slice(0, 2), token: randomUUID(), maxDeaths });
    expect(await claim(3)).toMatchObject({ deliveryId: due[0]!.deliveryId, crashes: 7 });
    expect(await claim(3)).toBeUndefined();
    expect(await claim(4)).toMatchObject({ deliveryId: due[1]!.deliveryId, crashes: 5 });
  });

  test('the others wait, and their count stands', async () => {
    const { deliveryId } = due[0]!;
    await scene.claims.claimSuspect({ due: [due[0]!], token: randomUUID(), maxDeaths: 4 });
    await scene.claims.postponeSuspects(due, randomUUID());
    expect(await open()).toMatchObject([
      { state: 'waiting', crashes: 3, lease_until: null },
      { state: 'waiting', crashes: 4, lease_until: null },
      { delivery_id: deliveryId, state: 'queued', claimed: true, crashes: 7 },
    ]);
  });
});

test('a suspect whose claim’s answer was lost, and whose place is another’s by then, is put back uncounted', async () => {
  const due = await oneQueued();
  const row = () => scene.database.knex('open_deliveries').where({ delivery_id: due.deliveryId });
  await row().update({ crashes: 3 });
  const token = randomUUID();
  expect(await scene.claims.claimSuspect({ due: [due], token, maxDeaths: 4 })).toMatchObject({ crashes: 4 });
  await scene.claims.postponeSuspects([due], token);
  expect(await row()).toMatchObject([{ state: 'waiting', claimed: false, crashes: 3 }]);
});

test('what is not suspected is neither claimed alone nor put back', async () => {
  const due = await oneQueued();
  expect(await scene.claims.claimSuspect({ due: [due], token: randomUUID(), maxDeaths: 4 })).toBeUndefined();
  await scene.claims.postponeSuspects([due], randomUUID());
  expect(await scene.open(due.deliveryId)).toMatchObject({ state: 'queued', claimed: false });
});

test('a message of an older generation, or of a delivery that waits, claims nothing', async () => {
  const due = await oneQueued();
  expect(await scene.claims.claim([{ ...due, generation: 2 }], randomUUID())).toEqual([]);
  await scene.dispatch.unqueue([due]);
  expect(await scene.claims.claim([due], randomUUID())).toEqual([]);
});

test('two hundred claims of the same deliveries at once give each delivery to one', async () => {
  const webhookId = await scene.addWebhook();
  const planned = Array.from({ length: 20 }, () => scene.plan([webhookId], { state: 'queued' }));
  await scene.write(planned);
  const due = planned.map((alert) => ({ deliveryId: alert.deliveries[0]!.id, generation: 1 }));
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      scene.claims.claim(index % 2 ? due : [...due].reverse(), randomUUID()),
    ),
  );
  const ids = claims.flat().map((claimed) => claimed.deliveryId);
  expect(ids).toHaveLength(20);
  expect(new Set(ids).size).toBe(20);
});

test('an outcome is one commit of attempt, status and the end of what is owed', async () => {
  const claimed = await claimOne(await oneQueued());
  await scene.records.record([{ claimed, verdict: succeeded, attempt: attempt() }]);
  expect(await scene.delivery(claimed.deliveryId)).toMatchObject({
    status: 'succeeded',
    attempts_made: 1,
    status_code: 200,
    claims: 1,
  });
  expect(await scene.open(claimed.deliveryId)).toBeUndefined();
  const [row] = await scene.attempts(claimed.deliveryId);
  expect(row).toMatchObject({
    number: 1,
    claim: 1,
    trigger: 'scheduled',
    duration_ms: 12,
    response: 'ok\uFFFD \uFFFD',
  });
});

test('recording twice, as after a commit whose outcome is unknown, is recording once', async () => {
  const claimed = await claimOne(await oneQueued());
  const outcome = { claimed, verdict: retry, attempt: attempt(500) };
  await scene.records.record([outcome]);
  const before = await scene.open(claimed.deliveryId);
  await scene.records.record([outcome]);
  expect(await scene.attempts(claimed.deliveryId)).toHaveLength(1);
  expect(await scene.delivery(claimed.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 1,
    error_code: 'timeout',
  });
  // The claim's number still stands, so the repetition may set the same retry anew; nothing else moves.
  expect(await scene.open(claimed.deliveryId)).toMatchObject({
    state: 'waiting',
    step: 1,
    claim: before.claim,
    claimed: false,
  });
});

test('an outcome that waited until another worker had claimed and sent is an attempt and no more, also at once with the other’s', async () => {
  const due = await oneQueued();
  const first = await claimOne(due);
  await scene.database
    .knex('open_deliveries')
    .where({ delivery_id: due.deliveryId })
    .update({ lease_until: new Date(0) });
  const second = await claimOne(due);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const patience = createPatience({
    logger,
    signal: new AbortController().signal,
    pause: async () => {},
    resume: async () => {},
    handBack: async () => {},
  });
  const parts = { ...scene, patience, logger, onBatch: () => {}, leaseMs: 30_000 };
  const recorder = () => createRecorder(parts);
  await Promise.all([
    recorder().record({ claimed: first, verdict: retry, attempt: attempt(500) }),
    recorder().record({ claimed: second, verdict: succeeded, attempt: attempt() }),
  ]);
  expect(await scene.delivery(due.deliveryId)).toMatchObject({ status: 'succeeded', attempts_made: 2 });
  expect(await scene.open(due.deliveryId)).toBeUndefined();
  const attempts = await scene.attempts(due.deliveryId);
  expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
  expect(attempts.map(({ claim }) => claim).sort()).toEqual([1, 2]);
});

test('recording beside a statement that was given up as lost is recording once, and refuses nothing', async () => {
  const claimed = await claimOne(await oneQueued());
  const outcome = { claimed, verdict: succeeded, attempt: attempt() };
  const patience = createPatience({
    logger: createLogger({ service: 'test', level: 'silent' }),
    signal: new AbortController().signal,
    pause: async () => {},
    resume: async () => {},
    handBack: async () => {},
  });
  const record = () => patience.untilAnswered(() => scene.records.record([outcome]));
  let both: Promise<unknown> = Promise.resolve();
  await scene.database.knex.transaction(async (trx) => {
    // Holds the one up before its commit, until the other has begun too and sees nothing of it.
    await trx('deliveries').where({ id: claimed.deliveryId }).forUpdate();
    both = Promise.all([record(), record()]);
    await until('both have begun', async () => {
      const { rows } = await scene.database.knex.raw(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length === 2;
    });
  });
  await both;
  expect(await scene.attempts(claimed.deliveryId)).toHaveLength(1);
  expect(await scene.delivery(claimed.deliveryId)).toMatchObject({ status: 'succeeded', attempts_made: 1 });
});

test('a late owner adds its attempt and changes nothing else', async () => {
  const due = await oneQueued();
  const late = await claimOne(due);
  await scene.database
    .knex('open_deliveries')
    .where({ delivery_id: due.deliveryId })
    .update({ lease_until: new Date(0) });
  const owner = await claimOne(due);
  await scene.records.record([{ claimed: late, verdict: succeeded, attempt: attempt() }]);
  expect(await scene.delivery(due.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 1,
    first_succeeded_at: null,
  });
  await scene.records.record([{ claimed: owner, verdict: retry, attempt: attempt(503) }]);
  expect(await scene.delivery(due.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 2,
    error_code: 'timeout',
  });
  expect((await scene.attempts(due.deliveryId)).map((row) => [row.number, row.claim])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('an owner that was only late, and whom nobody has replaced, still records', async () => {
  const due = await oneQueued();
  const claimed = await claimOne(due);
  await scene.database
    .knex('open_deliveries')
    .where({ delivery_id: due.deliveryId })
    .update({ lease_until: new Date(0) });
  expect(await scene.dispatch.putBackExpired()).toBe(1);
  await scene.records.record([{ claimed, verdict: succeeded, attempt: attempt() }]);
  expect(await scene.delivery(due.deliveryId)).toMatchObject({ status: 'succeeded' });
  expect(await scene.open(due.deliveryId)).toBeUndefined();
});

test('a lease is renewed while the claim is the latest, and where nobody has locked the row', async () => {
  const dues = [await oneQueued(), await oneQueued(), await oneQueued()];
  const [ours, lost, locked] = await Promise.all(dues.map(claimOne));
  const old = new Date(0);
  await scene.database
    .knex('open_deliveries')
    .whereIn(
      'delivery_id',
      dues.map(({ deliveryId }) => deliveryId),
    )
    .update({ lease_until: old });
  await claimOne(dues[1]!);
  await scene.database
    .knex('open_deliveries')
    .where({ delivery_id: lost!.deliveryId })
    .update({ lease_until: old });
  await scene.database.knex.transaction(async (trx) => {
    await trx('open_deliveries').where({ delivery_id: locked!.deliveryId }).forUpdate();
    await scene.deferrals.renew([ours!, lost!, locked!], 30_000);
  });
  const leases = await Promise.all(
    dues.map(async ({ deliveryId }) => (await scene.open(deliveryId)).lease_until),
  );
  expect(leases).toEqual([expect.any(Date), old, old]);
  expect(leases[0].getTime()).toBeGreaterThan(Date.now());
  await scene.dispatch.putBackExpired();
});

test('a deferral gives the claim back without an attempt, a step or a mark of a crash', async () => {
  const claimed = await claimOne(await oneQueued());
  await scene.deferrals.defer([{ claimed, deferral: { kind: 'deferred', afterMs: 0, reason: 'no_slot' } }]);
  expect(await scene.open(claimed.deliveryId)).toMatchObject({
    state: 'waiting',
    claimed: false,
    crashes: 0,
    step: 0,
  });
  expect(await scene.attempts(claimed.deliveryId)).toHaveLength(0);
});

test('a deferral that has a failure says so in the delivery, where the claim is still ours', async () => {
  const failure = { code: 'internal_error', error: 'It cannot be opened.' } as const;
  const deferral = { kind: 'deferred', afterMs: 0, reason: 'unopened', failure } as const;
  const [ours, lost] = [await claimOne(await oneQueued()), await claimOne(await oneQueued())];
  await scene.deferrals.defer([
    { claimed: ours, deferral },
    { claimed: { ...lost, claim: 0 }, deferral },
  ]);
  expect(await scene.delivery(ours.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 0,
    error_code: failure.code,
    error: failure.error,
  });
  expect(await scene.open(ours.deliveryId)).toMatchObject({ state: 'waiting', claimed: false, step: 0 });
  expect(await scene.delivery(lost.deliveryId)).toMatchObject({ error_code: null, error: null });
});

test('an alert whose key is taken is skipped whole, also when both come at once', async () => {
  const webhookId = await scene.addWebhook();
  const alertId = randomUUID();
  const first = scene.plan([webhookId], { alertId });
  const second = scene.plan([webhookId], { alertId, acceptedAtMs: Date.now() + 5 });
  const written = await Promise.all([
    scene.write([first]),
    scene.write([second], { acceptedAtMs: Date.now() + 5 }),
  ]);
  // The ids of what is new: the alert and its one delivery.
  expect(written.map(({ ids }) => ids.size).sort()).toEqual([0, 2]);
  const rows = await scene.database.knex('deliveries').where({ alert_id: alertId });
  expect(rows).toHaveLength(1);
});

test('what is due is queued in the order of its time, up to the quota, and held webhooks are not surveyed', async () => {
  const [free, held] = [await scene.addWebhook(), await scene.addWebhook()];
  await scene.write([scene.plan([free, held]), scene.plan([free, held])]);
  await scene.holds.hold([
    { webhookId: held, version: 1, reason: 'circuit', forMs: 60_000, times: 1 },
    { webhookId: free, version: 0, reason: 'circuit', forMs: 60_000, times: 1 },
  ]);
  const candidates = (await scene.dispatch.survey(10)).filter(
    ({ workspaceId }) => workspaceId === scene.workspaceId,
  );
  expect(candidates).toMatchObject([
    { workspaceId: scene.workspaceId, webhookId: free, due: 2, probing: false },
  ]);
  const due = await scene.dispatch.queue([{ contender: candidates[0]!, quota: 1 }]);
  expect(due).toHaveLength(1);
  const queued = await scene.dispatch.queued();
  expect(queued.byWebhook.get(free)).toBe(1);
  expect(queued.unclaimed).toBeGreaterThan(0);
  expect(await scene.dispatch.putBackExpired()).toBe(0);
});

test('what comes long after its survey queues nothing: whoever sent it publishes nothing any more', async () => {
  const webhookId = await scene.addWebhook();
  await scene.write([scene.plan([webhookId])]);
  const [candidate] = (await scene.dispatch.survey(10)).filter((entry) => entry.webhookId === webhookId);
  const stale = { ...candidate!, queueBy: new Date(candidate!.queueBy.getTime() - 11_000) };
  expect(await scene.dispatch.queue([{ contender: stale, quota: 1 }])).toEqual([]);
  expect(await scene.dispatch.queue([{ contender: candidate!, quota: 1 }])).toHaveLength(1);
});

test('a hold whose time has passed makes its webhook a probe', async () => {
  const webhookId = await scene.addWebhook();
  await scene.write([scene.plan([webhookId])]);
  await scene.holds.hold([{ webhookId, version: 1, reason: 'retry_after', forMs: -1, times: 1 }]);
  const [candidate] = (await scene.dispatch.survey(10)).filter((entry) => entry.webhookId === webhookId);
  expect(candidate).toMatchObject({ probing: true, due: 1 });
});
