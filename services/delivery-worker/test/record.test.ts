import { createLogger } from '@tocsin/kit';
import { decryptAttemptRow, untilLockWaits, useTestDatabase } from '@tocsin/testing/database';
import { createDatabaseRetry } from '../src/database-retry.js';
import type { Outcome } from '../src/delivery/outcome.js';
import { createRecorder } from '../src/delivery/record.js';
import { createAttempt } from './support/attempt.js';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db);

const succeeded: Outcome = { kind: 'succeeded' };
const retry: Outcome = {
  kind: 'retry',
  afterMs: 60_000,
  step: 1,
  failure: { code: 'timeout', error: 'Too slow.' },
};

const logger = createLogger({ service: 'test', level: 'silent' });
const databaseRetry = createDatabaseRetry({ logger, signal: new AbortController().signal });

const attempt = (statusCode = 200) =>
  createAttempt({
    durationMs: 12.4,
    requestBody: '{"a":1}',
    response: { statusCode, body: 'ok\0 \ud800', truncated: false },
  });

test('an outcome writes the attempt and the status, and removes the open delivery', async () => {
  const claimed = await fixtures.claimOne(await fixtures.queueOne());
  await fixtures.records.record([{ claimed, outcome: succeeded, attempt: attempt() }]);
  expect(await fixtures.delivery(claimed.deliveryId)).toMatchObject({
    status: 'succeeded',
    attempts_made: 1,
    status_code: 200,
    claims: 1,
  });
  expect(await fixtures.open(claimed.deliveryId)).toBeUndefined();
  const [row] = await fixtures.attempts(claimed.deliveryId);
  expect(row).toMatchObject({
    number: 1,
    claim: 1,
    trigger: 'scheduled',
    duration_ms: 12,
  });
  expect(decryptAttemptRow(row, claimed)).toEqual({ requestBody: '{"a":1}', responseBody: 'ok\0 \uFFFD' });
});

test('an outcome that is recorded twice, for example after a lost reply, is counted once', async () => {
  const claimed = await fixtures.claimOne(await fixtures.queueOne());
  const outcome = { claimed, outcome: retry, attempt: attempt(500) };
  await fixtures.records.record([outcome]);
  const before = await fixtures.open(claimed.deliveryId);
  await fixtures.records.record([outcome]);
  expect(await fixtures.attempts(claimed.deliveryId)).toHaveLength(1);
  expect(await fixtures.delivery(claimed.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 1,
    error_code: 'timeout',
  });
  // Recording a retry does not change the claim number, so the claim is still the latest. The second statement
  // therefore writes the same retry once more, and changes nothing else.
  expect(await fixtures.open(claimed.deliveryId)).toMatchObject({
    state: 'waiting',
    step: 1,
    claim: before.claim,
    claimed_by: null,
  });
});

test('an outcome of a replaced claim only adds its attempt, even while the new claim is recorded', async () => {
  const due = await fixtures.queueOne();
  const first = await fixtures.claimOne(due);
  await fixtures.releaseClaim(due.deliveryId);
  const second = await fixtures.claimOne(due);
  const { records, pauses } = fixtures;
  const parts = { records, pauses, databaseRetry, logger, onBatch: () => {} };
  const recorder = () => createRecorder(parts);
  await Promise.all([
    recorder().record({ claimed: first, outcome: retry, attempt: attempt(500) }),
    recorder().record({ claimed: second, outcome: succeeded, attempt: attempt() }),
  ]);
  expect(await fixtures.delivery(due.deliveryId)).toMatchObject({ status: 'succeeded', attempts_made: 2 });
  expect(await fixtures.open(due.deliveryId)).toBeUndefined();
  const attempts = await fixtures.attempts(due.deliveryId);
  expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
  expect(attempts.map(({ claim }) => claim).sort()).toEqual([1, 2]);
});

test('an outcome recorded by two concurrent statements is counted once, without an error', async () => {
  const claimed = await fixtures.claimOne(await fixtures.queueOne());
  const outcome = { claimed, outcome: succeeded, attempt: attempt() };
  const record = () => databaseRetry.retryWhileUnavailable(() => fixtures.records.record([outcome]));
  let both: Promise<unknown> = Promise.resolve();
  await fixtures.database.knex.transaction(async (trx) => {
    // Both statements wait for the locked row before they commit, so that neither of them sees the rows of the other.
    await trx('deliveries').where({ id: claimed.deliveryId }).forUpdate();
    both = Promise.all([record(), record()]);
    await untilLockWaits(fixtures.database, { sessions: 2 });
  });
  await both;
  expect(await fixtures.attempts(claimed.deliveryId)).toHaveLength(1);
  expect(await fixtures.delivery(claimed.deliveryId)).toMatchObject({
    status: 'succeeded',
    attempts_made: 1,
  });
});

test('a late worker whose claim was replaced adds its attempt and changes nothing else', async () => {
  const due = await fixtures.queueOne();
  const late = await fixtures.claimOne(due);
  await fixtures.releaseClaim(due.deliveryId);
  const owner = await fixtures.claimOne(due);
  await fixtures.records.record([{ claimed: late, outcome: succeeded, attempt: attempt() }]);
  expect(await fixtures.delivery(due.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 1,
    first_succeeded_at: null,
  });
  await fixtures.records.record([{ claimed: owner, outcome: retry, attempt: attempt(503) }]);
  expect(await fixtures.delivery(due.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 2,
    error_code: 'timeout',
  });
  expect((await fixtures.attempts(due.deliveryId)).map((row) => [row.number, row.claim])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('a late worker records its outcome if its claim was released and no other claim followed', async () => {
  const due = await fixtures.queueOne();
  const claimed = await fixtures.claimOne(due);
  expect(await fixtures.releaseExpired()).toBeGreaterThan(0);
  expect(await fixtures.open(due.deliveryId)).toMatchObject({ state: 'waiting', claimed_by: null });
  await fixtures.records.record([{ claimed, outcome: succeeded, attempt: attempt() }]);
  expect(await fixtures.delivery(due.deliveryId)).toMatchObject({ status: 'succeeded' });
  expect(await fixtures.open(due.deliveryId)).toBeUndefined();
});

test('a deferral releases the claim, records no attempt and uses no step of the schedule', async () => {
  const claimed = await fixtures.claimOne(await fixtures.queueOne());
  await fixtures.records.defer([{ claimed, deferral: { kind: 'deferred', afterMs: 0, reason: 'no_slot' } }]);
  expect(await fixtures.open(claimed.deliveryId)).toMatchObject({
    state: 'waiting',
    claimed_by: null,
    claims_without_outcome: 0,
    step: 0,
  });
  expect(await fixtures.attempts(claimed.deliveryId)).toHaveLength(0);
});

test('each deferral of a batch keeps its own delay and reason', async () => {
  const deferrals = [
    { kind: 'deferred', afterMs: 0, reason: 'no_slot' },
    { kind: 'deferred', afterMs: 600_000, reason: 'paused' },
    { kind: 'deferred', afterMs: 3_600_000, reason: 'render_budget' },
  ] as const;
  const records = [];
  for (const deferral of deferrals)
    records.push({ deferral, claimed: await fixtures.claimOne(await fixtures.queueOne()) });
  await fixtures.records.defer(records);
  for (const { deferral, claimed } of records) {
    const { waiting_reason, due_at } = await fixtures.open(claimed.deliveryId);
    expect(waiting_reason).toBe(deferral.reason);
    expect(Math.abs(due_at.getTime() - Date.now() - deferral.afterMs)).toBeLessThan(60_000);
  }
});

test('a delivery shows the failure of a deferral only if the deferred claim is the latest', async () => {
  const failure = { code: 'internal_error', error: 'It cannot be decrypted.' } as const;
  const deferral = { kind: 'deferred', afterMs: 0, reason: 'undecryptable', failure } as const;
  const [ours, lost] = [
    await fixtures.claimOne(await fixtures.queueOne()),
    await fixtures.claimOne(await fixtures.queueOne()),
  ];
  await fixtures.records.defer([
    { claimed: ours, deferral },
    { claimed: { ...lost, claim: 0 }, deferral },
  ]);
  expect(await fixtures.delivery(ours.deliveryId)).toMatchObject({
    status: 'open',
    attempts_made: 0,
    error_code: failure.code,
    error: failure.error,
  });
  expect(await fixtures.open(ours.deliveryId)).toMatchObject({ state: 'waiting', claimed_by: null, step: 0 });
  expect(await fixtures.delivery(lost.deliveryId)).toMatchObject({ error_code: null, error: null });
});

test.each([
  ['paused', 'paused'],
  ['no_slot', 'no_slot'],
  ['body_memory', 'no_slot'],
  ['lease_expired', 'backlog'],
  ['undecryptable', 'undecryptable'],
  ['render_budget', 'render_budget'],
  ['quarantine', 'crashed'],
] as const)(
  'a delivery that is deferred with the reason %s has the waiting reason %s',
  async (reason, waiting_reason) => {
    const claimed = await fixtures.claimOne(await fixtures.queueOne());
    await fixtures.records.defer([{ claimed, deferral: { kind: 'deferred', afterMs: 0, reason } }]);
    expect(await fixtures.open(claimed.deliveryId)).toMatchObject({ state: 'waiting', waiting_reason });
  },
);

test('a delivery waits with the reason of its last release: retry, crashed or backlog', async () => {
  const reasonOf = async (id: string) => {
    const { state, waiting_reason } = await fixtures.open(id);
    return state === 'waiting' ? waiting_reason : state;
  };
  const retried = await fixtures.claimOne(await fixtures.queueOne());
  await fixtures.records.record([{ claimed: retried, outcome: retry, attempt: attempt(500) }]);
  expect(await reasonOf(retried.deliveryId)).toBe('retry');

  const crashed = await fixtures.claimOne(await fixtures.queueOne());
  const lost = await fixtures.queueOne();
  await fixtures.database
    .knex('open_deliveries')
    .where({ delivery_id: lost.deliveryId })
    .update({ lease_until: new Date(0) });
  await fixtures.releaseExpired();
  expect([await reasonOf(crashed.deliveryId), await reasonOf(lost.deliveryId)]).toEqual([
    'crashed',
    'backlog',
  ]);

  const returned = await fixtures.queueOne();
  await fixtures.database
    .knex('open_deliveries')
    .where({ delivery_id: returned.deliveryId })
    .update({ waiting_reason: 'retry' });
  await fixtures.dispatch.unqueue([returned]);
  expect(await reasonOf(returned.deliveryId)).toBe('backlog');
});

test('a failed probe keeps the start of a pause, and Retry-After after a pause starts a new one', async () => {
  const webhookId = await fixtures.addWebhook();
  const row = () => fixtures.database.knex('webhook_pauses').where({ webhook_id: webhookId }).first();
  const shift = (changes: object) =>
    fixtures.database.knex('webhook_pauses').where({ webhook_id: webhookId }).update(changes);
  const anHourAgo = new Date(Date.now() - 3_600_000);
  const pause = (changes: object) =>
    fixtures.pauses.pause([
      { webhookId, version: 1, reason: 'circuit', forMs: 10_000, times: 1, error: 'a', ...changes },
    ]);
  await pause({});
  expect(await row()).toMatchObject({ reason: 'circuit', error: 'a', since: expect.any(Date) });
  await shift({ since: anHourAgo, paused_until: anHourAgo });
  await pause({ times: 2, error: 'b' });
  expect(await row()).toMatchObject({ since: anHourAgo, error: 'b', times: 2 });
  await pause({ reason: 'retry_after', forMs: 60_000 });
  expect(await row()).toMatchObject({ since: anHourAgo, reason: 'retry_after' });
  await shift({ paused_until: anHourAgo });
  await pause({ reason: 'retry_after' });
  expect((await row()).since.getTime()).toBeGreaterThan(anHourAgo.getTime());
});
