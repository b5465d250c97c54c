import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
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

test('a claim returns the alert’s facts and the webhook’s version, and excludes other claims', async () => {
  const due = await scene.queueOne();
  const claimed = await scene.claimOne(due);
  expect(claimed).toMatchObject({
    claim: 1,
    claimsWithoutOutcome: 1,
    step: 0,
    facts: { model_name: 'churn', metric_value: 0.5 },
  });
  expect(claimed.webhook).toEqual({ version: 1, enabled: true, retryOnTimeout: true });
  expect(await scene.claims.claim([due], randomUUID())).toEqual([]);
});

test('a claim whose reply was lost can be repeated with its token, and counts once', async () => {
  const due = await scene.queueOne();
  const token = randomUUID();
  await scene.claims.claim([due], token);
  const [again] = await scene.claims.claim([due], token);
  expect(again).toMatchObject({ deliveryId: due.deliveryId, claim: 2, claimsWithoutOutcome: 1 });
});

test('a delivery claimed at write belongs to its writer, which can claim it again by its token', async () => {
  const webhookId = await scene.addWebhook();
  const planned = scene.plan([webhookId], { state: 'claimed' });
  const due = { deliveryId: planned.deliveries[0]!.id, run: 1 };
  const token = randomUUID();
  const { leaseEndsAtMs } = await scene.write([planned], { token });
  expect(leaseEndsAtMs - performance.now()).toBeLessThanOrEqual(30_000);
  expect(await scene.open(due.deliveryId)).toMatchObject({
    state: 'queued',
    claimed: true,
    claim: 1,
    claims_without_outcome: 1,
  });
  expect(await scene.claims.claim([due], randomUUID())).toEqual([]);
  expect(await scene.claims.claim([due], token)).toMatchObject([{ claim: 2, claimsWithoutOutcome: 1 }]);
});

test('a delivery claimed at write by a dead worker is released when its lease expires', async () => {
  const planned = scene.plan([await scene.addWebhook()], { state: 'claimed' });
  const { id } = planned.deliveries[0]!;
  await scene.write([planned]);
  await scene.dispatch.releaseExpired();
  expect(await scene.open(id)).toMatchObject({ state: 'queued', claimed: true });
  await scene.endLease(id);
  await scene.dispatch.releaseExpired();
  expect(await scene.open(id)).toMatchObject({ state: 'waiting', claimed: false, claim: 1 });
});

test('each claim without an outcome is counted, and a deferral takes its own claim back', async () => {
  const due = await scene.queueOne();
  for (const claimsWithoutOutcome of [1, 2, 3]) {
    expect(await scene.claimOne(due)).toMatchObject({ claimsWithoutOutcome });
    await scene.endLease(due.deliveryId);
  }
  const claimed = await scene.claimOne(due);
  await scene.records.defer([{ claimed, deferral: { kind: 'deferred', afterMs: 0, reason: 'quarantine' } }]);
  expect(await scene.open(due.deliveryId)).toMatchObject({ state: 'waiting', claims_without_outcome: 3 });
});

test('a message of another run, or for a waiting delivery, claims nothing', async () => {
  const due = await scene.queueOne();
  expect(await scene.claims.claim([{ ...due, run: 2 }], randomUUID())).toEqual([]);
  await scene.dispatch.unqueue([due]);
  expect(await scene.claims.claim([due], randomUUID())).toEqual([]);
});

test('of two hundred concurrent claims, each delivery goes to one', async () => {
  const webhookId = await scene.addWebhook();
  const planned = Array.from({ length: 20 }, () => scene.plan([webhookId], { state: 'queued' }));
  await scene.write(planned);
  const due = planned.map((alert) => ({ deliveryId: alert.deliveries[0]!.id, run: 1 }));
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      scene.claims.claim(index % 2 ? due : [...due].reverse(), randomUUID()),
    ),
  );
  const ids = claims.flat().map((claimed) => claimed.deliveryId);
  expect(ids).toHaveLength(20);
  expect(new Set(ids).size).toBe(20);
});
