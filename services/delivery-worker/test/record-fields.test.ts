import { redeliver } from '@tocsin/deliveries';
import { decryptAttemptRow, testSecretBox, useTestDatabase } from '@tocsin/testing/database';
import type { ClaimedDelivery } from '../src/delivery/claimed-delivery.js';
import type { Attempt, Outcome } from '../src/delivery/outcome.js';
import { createAttempt } from './support/attempt.js';
import { useDatabaseFixtures } from './support/database-fixtures.js';

// Each column that an outcome writes is checked in a row that had another value before.

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db);

const succeeded: Outcome = { kind: 'succeeded' };
const failure = { code: 'http_status', error: 'Status 500.' } as const;
const failed: Outcome = { kind: 'failed', failure };
const retry: Outcome = { kind: 'retry', afterMs: 60_000, step: 3, failure };

const record = (claimed: ClaimedDelivery, outcome: Outcome, changes?: Partial<Attempt>) =>
  fixtures.records.record([{ claimed, outcome, attempt: createAttempt(changes) }]);
const claimNew = async () => fixtures.claimOne(await fixtures.queueOne());

/** Queues the open row of a delivery again and claims it. */
async function claimAgain(deliveryId: string): Promise<ClaimedDelivery> {
  const row = db.database.knex('open_deliveries').where({ delivery_id: deliveryId });
  await row.clone().update({ state: 'queued', claimed_by: null, claim_token: null });
  return fixtures.claimOne({ deliveryId, run: (await row.first()).run });
}

/** Redelivers an ended delivery and claims its new run. */
async function claimNextRun(deliveryId: string): Promise<ClaimedDelivery> {
  expect(await redeliver(db.database, deliveryId)).toBe('reopened');
  return claimAgain(deliveryId);
}

test('each record of a batch stores its own content, encrypted for its delivery and claim', async () => {
  const [plain, notSent, withHeaders, silent, first] = [
    await claimNew(),
    await claimNew(),
    await claimNew(),
    await claimNew(),
    await claimNew(),
  ];
  await record(first, retry, { requestBody: '{"try":1}' });
  const retried = await claimAgain(first.deliveryId);
  const headers = { location: '/elsewhere', retryAfter: '7' };
  const noResponse = { response: undefined, requestBody: '{"n":4}' };
  await fixtures.records.record([
    { claimed: plain, outcome: succeeded, attempt: createAttempt({ requestBody: '{"n":"one"}' }) },
    { claimed: notSent, outcome: failed, attempt: undefined, rendered: 'the second is no JSON' },
    {
      claimed: withHeaders,
      outcome: failed,
      attempt: createAttempt({ response: { statusCode: 302, body: 'third', truncated: false, ...headers } }),
    },
    { claimed: silent, outcome: failed, attempt: createAttempt(noResponse) },
    { claimed: retried, outcome: retry, attempt: createAttempt({ requestBody: '{"try":22}' }) },
  ]);
  const contents = async (claimed: ClaimedDelivery) =>
    (await fixtures.attempts(claimed.deliveryId)).map((row) => decryptAttemptRow(row, claimed));
  expect(await contents(plain)).toEqual([{ requestBody: '{"n":"one"}', responseBody: 'ok' }]);
  expect(await contents(notSent)).toEqual([]);
  expect(await contents(withHeaders)).toEqual([{ requestBody: '{}', responseBody: 'third', ...headers }]);
  expect(await contents(silent)).toEqual([{ requestBody: '{"n":4}', responseBody: '' }]);
  expect(await contents(retried)).toEqual([
    { requestBody: '{"try":1}', responseBody: 'ok' },
    { requestBody: '{"try":22}', responseBody: 'ok' },
  ]);
  expect((await fixtures.delivery(plain.deliveryId)).rendered_encrypted).toBeNull();
  const { rendered_encrypted } = await fixtures.delivery(notSent.deliveryId);
  const { workspaceId, deliveryId: id } = notSent;
  const location = { workspaceId, table: 'deliveries', id, column: 'rendered' };
  expect(testSecretBox.decrypt(rendered_encrypted, location).toString()).toBe('the second is no JSON');
});

test('an attempt stores status, duration, start, trigger, error and the field `note`', async () => {
  const claimed = await claimNew();
  const startedAt = new Date('2026-01-02T03:04:05.678Z');
  const response = { statusCode: 503, body: '', truncated: true };
  await record(claimed, retry, { startedAt, durationMs: 12.6, trigger: 'manual', response, failure });
  await record(await claimAgain(claimed.deliveryId), succeeded, {
    note: 'It was cut.',
    destination: 'https://b',
  });
  expect(await fixtures.attempts(claimed.deliveryId)).toMatchObject([
    {
      number: 1,
      claim: 1,
      trigger: 'manual',
      started_at: startedAt,
      duration_ms: 13,
      destination: 'http://127.0.0.1:9',
      status_code: 503,
      response_truncated: true,
      error_code: 'http_status',
      error: 'Status 500.',
    },
    {
      number: 2,
      claim: 2,
      trigger: 'scheduled',
      duration_ms: 12,
      destination: 'https://b',
      status_code: 200,
      response_truncated: false,
      error_code: null,
      error: 'It was cut.',
    },
  ]);
});

test('the time of the first success is kept in later runs', async () => {
  const claimed = await claimNew();
  await record(claimed, failed);
  expect((await fixtures.delivery(claimed.deliveryId)).first_succeeded_at).toBeNull();
  // The time of a success is the end of its request, even if the outcome is recorded an hour later.
  const request = { startedAt: new Date(Date.now() - 3_610_000), durationMs: 10_000 };
  await record(await claimNextRun(claimed.deliveryId), succeeded, request);
  const { first_succeeded_at } = await fixtures.delivery(claimed.deliveryId);
  expect(Math.abs(first_succeeded_at.getTime() - Date.now() + 3_600_000)).toBeLessThan(5_000);
  for (const outcome of [succeeded, failed, retry]) {
    await record(await claimNextRun(claimed.deliveryId), outcome);
    expect(await fixtures.delivery(claimed.deliveryId)).toMatchObject({ first_succeeded_at });
  }
});

test('only a failed delivery has a time of failure', async () => {
  const { deliveryId } = await claimNew();
  const failedAt = async () => (await fixtures.delivery(deliveryId)).failed_at;
  await record(await claimAgain(deliveryId), failed);
  expect(Math.abs((await failedAt()).getTime() - Date.now())).toBeLessThan(60_000);
  const next = await claimNextRun(deliveryId);
  await db.database
    .knex('deliveries')
    .where({ id: deliveryId })
    .update({ failed_at: new Date(0) });
  await record(next, retry);
  expect(await failedAt()).toBeNull();
  await db.database
    .knex('deliveries')
    .where({ id: deliveryId })
    .update({ failed_at: new Date(0) });
  await record(await claimAgain(deliveryId), succeeded);
  expect(await failedAt()).toBeNull();
  const claimed = await claimNextRun(deliveryId);
  await fixtures.records.record([{ claimed, outcome: { kind: 'skipped', failure }, attempt: undefined }]);
  expect([(await fixtures.delivery(deliveryId)).status, await failedAt()]).toEqual(['skipped', null]);
});

test('a delivery shows the error and the status of its latest outcome', async () => {
  const { deliveryId } = await claimNew();
  const shown = async () => {
    const { error_code, error, status_code, status, claims, destination } =
      await fixtures.delivery(deliveryId);
    return { error_code, error, status_code, status, claims, destination };
  };
  const response = { statusCode: 500, body: '', truncated: false };
  await record(await claimAgain(deliveryId), retry, { response, destination: 'https://first' });
  expect(await shown()).toEqual({
    error_code: 'http_status',
    error: 'Status 500.',
    status_code: 500,
    status: 'open',
    claims: 2,
    destination: 'https://first',
  });
  const expired = { code: 'expired', error: 'Too late.' } as const;
  const outcome = { kind: 'failed', failure: expired } as const;
  await fixtures.records.record([{ claimed: await claimAgain(deliveryId), outcome, attempt: undefined }]);
  expect(await shown()).toMatchObject({
    error_code: 'expired',
    status_code: 500,
    destination: 'https://first',
  });
  await record(await claimNextRun(deliveryId), succeeded, { response: undefined });
  expect(await shown()).toMatchObject({ error_code: null, error: null, status_code: null, claims: 4 });
});

test('a retry waits for its delay; its trigger is `scheduled` even after a manual attempt', async () => {
  const claimed = await claimNew();
  await record(claimed, failed);
  const manual = await claimNextRun(claimed.deliveryId);
  expect(manual).toMatchObject({ manual: true, claim: 2, step: 0 });
  await db.database.knex('open_deliveries').update({ lease_until: new Date() });
  await record(manual, retry, { trigger: 'manual' });
  const open = await fixtures.open(claimed.deliveryId);
  expect(open).toMatchObject({ state: 'waiting', manual: false, step: 3, claims_without_outcome: 0 });
  expect(open).toMatchObject({ claimed_by: null, claim_token: null, lease_until: null });
  expect(Math.abs(open.due_at.getTime() - Date.now() - 60_000)).toBeLessThan(30_000);
  expect(await claimAgain(claimed.deliveryId)).toMatchObject({
    manual: false,
    step: 3,
    claimsWithoutOutcome: 1,
  });
});

test.each([
  ['deleted', (id: string) => db.database.knex('webhooks').where({ id }).delete()],
  ['disabled', (id: string) => db.database.knex('webhooks').where({ id }).update({ enabled: false })],
])('a retry is due at once if its webhook was %s during the attempt', async (_, change) => {
  const claimed = await claimNew();
  await change(claimed.webhookId);
  await record(claimed, retry);
  const { due_at } = await fixtures.open(claimed.deliveryId);
  expect(Math.abs(due_at.getTime() - Date.now())).toBeLessThan(30_000);
});

test('a deferral delays a delivery, keeps its step and trigger, and removes its claim and lease', async () => {
  const first = await claimNew();
  await record(first, failed);
  const claimed = await claimNextRun(first.deliveryId);
  await db.database
    .knex('open_deliveries')
    .where({ delivery_id: first.deliveryId })
    .update({ step: 2, lease_until: new Date(), claims_without_outcome: 0 });
  const deferral = { kind: 'deferred', afterMs: 45_000, reason: 'paused' } as const;
  await fixtures.records.defer([{ claimed, deferral }]);
  const open = await fixtures.open(first.deliveryId);
  expect(open).toMatchObject({ state: 'waiting', step: 2, manual: true, claims_without_outcome: 0 });
  expect(open).toMatchObject({ claimed_by: null, claim_token: null, lease_until: null, claim: 2 });
  expect(Math.abs(open.due_at.getTime() - Date.now() - 45_000)).toBeLessThan(30_000);
});

test.each<[string, (late: ClaimedDelivery) => Promise<void>, number]>([
  ['retry', (late) => record(late, { ...retry, step: 9 }), 1],
  ['success', (late) => record(late, succeeded), 1],
  [
    'failure without an attempt',
    (claimed) => fixtures.records.record([{ claimed, outcome: failed, attempt: undefined }]),
    0,
  ],
  ['deferral', (claimed) => fixtures.records.defer([{ claimed, deferral: { ...deferred, failure } }]), 0],
])('a late %s of a replaced claim changes neither the open row nor the outcome', async (_, end, attempts) => {
  const due = await fixtures.queueOne();
  const late = await fixtures.claimOne(due);
  await fixtures.releaseClaim(due.deliveryId);
  await fixtures.claimOne(due);
  await db.database
    .knex('deliveries')
    .where({ id: due.deliveryId })
    .update({
      error_code: 'timeout',
      error: 'Too slow.',
      status_code: 504,
      rendered_encrypted: Buffer.from('kept'),
      failed_at: new Date(0),
    });
  const before = [await fixtures.open(due.deliveryId), await fixtures.delivery(due.deliveryId)];
  await end(late);
  expect(await fixtures.attempts(due.deliveryId)).toHaveLength(attempts);
  const changed = attempts === 0 ? {} : { attempts_made: 1, destination: createAttempt().destination };
  expect([await fixtures.open(due.deliveryId), await fixtures.delivery(due.deliveryId)]).toEqual([
    before[0],
    { ...before[1], ...changed },
  ]);
});

const deferred = { kind: 'deferred', afterMs: 0, reason: 'no_slot' } as const;

test('an outcome or deferral of an earlier run does not change the next run', async () => {
  const first = await claimNew();
  await record(first, failed);
  const second = await claimNextRun(first.deliveryId);
  const before = await fixtures.open(first.deliveryId);
  await fixtures.records.defer([{ claimed: { ...second, run: 1 }, deferral: deferred }]);
  for (const outcome of [succeeded, retry])
    await fixtures.records.record([{ claimed: { ...second, run: 1 }, outcome, attempt: undefined }]);
  expect(await fixtures.open(first.deliveryId)).toEqual(before);
});
