import { randomUUID } from 'node:crypto';
import { useTestDatabase } from '@tocsin/testing/database';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db);

test('a claim returns the data of its alert and webhook, and a second claim returns nothing', async () => {
  const due = await fixtures.queueOne();
  const claimed = await fixtures.claimOne(due);
  expect(claimed).toMatchObject({
    claim: 1,
    claimsWithoutOutcome: 1,
    step: 0,
    facts: { model_name: 'churn', metric_value: 0.5 },
  });
  expect(claimed.webhook).toEqual({ version: 1, enabled: true, retryOnTimeout: true });
  expect(await fixtures.claims.claim([due], randomUUID())).toEqual([]);
});

test('a claim returns the settings of the webhook, and whether a user requested the delivery', async () => {
  const due = await fixtures.queueOne();
  const row = db.database.knex('open_deliveries').where({ delivery_id: due.deliveryId });
  const { webhook_id } = await row.clone().first();
  await row.clone().update({ manual: true });
  const changes = { enabled: false, retry_on_timeout: false, version: 7 };
  await db.database.knex('webhooks').where({ id: webhook_id }).update(changes);
  const claimed = await fixtures.claimOne(due);
  expect(claimed).toMatchObject({ webhookId: webhook_id, manual: true });
  expect(claimed.webhook).toEqual({ version: 7, enabled: false, retryOnTimeout: false });
});

test('a claim whose reply was lost can be repeated with its token, and is counted once', async () => {
  const due = await fixtures.queueOne();
  const token = randomUUID();
  await fixtures.claims.claim([due], token);
  const [again] = await fixtures.claims.claim([due], token);
  expect(again).toMatchObject({ deliveryId: due.deliveryId, claim: 1, claimsWithoutOutcome: 1 });
});

test('a delivery claimed at write can be claimed again only with the same token', async () => {
  const webhookId = await fixtures.addWebhook();
  const planned = fixtures.plan([webhookId], { state: 'claimed' });
  const due = { deliveryId: planned.deliveries[0]!.id, run: 1 };
  const token = randomUUID();
  const { claimedAtMs } = await fixtures.write([planned], { token });
  expect(claimedAtMs).toBeLessThan(performance.now());
  expect(await fixtures.open(due.deliveryId)).toMatchObject({
    state: 'queued',
    claimed_by: fixtures.workerId,
    claim: 1,
    claims_without_outcome: 1,
  });
  expect(await fixtures.claims.claim([due], randomUUID())).toEqual([]);
  expect(await fixtures.claims.claim([due], token)).toMatchObject([{ claim: 1, claimsWithoutOutcome: 1 }]);
});

test('a claim that ends without an outcome is counted, unless it ends in a deferral', async () => {
  const due = await fixtures.queueOne();
  for (const claimsWithoutOutcome of [1, 2, 3]) {
    expect(await fixtures.claimOne(due)).toMatchObject({ claimsWithoutOutcome });
    await fixtures.releaseClaim(due.deliveryId);
  }
  const claimed = await fixtures.claimOne(due);
  await fixtures.records.defer([
    { claimed, deferral: { kind: 'deferred', afterMs: 0, reason: 'quarantine' } },
  ]);
  expect(await fixtures.open(due.deliveryId)).toMatchObject({ state: 'waiting', claims_without_outcome: 3 });
});

test('a message claims nothing if it names another run or its delivery is waiting', async () => {
  const due = await fixtures.queueOne();
  expect(await fixtures.claims.claim([{ ...due, run: 2 }], randomUUID())).toEqual([]);
  await fixtures.dispatch.unqueue([due]);
  expect(await fixtures.claims.claim([due], randomUUID())).toEqual([]);
});

test('each of twenty deliveries is claimed by exactly one of ten concurrent claims', async () => {
  const webhookId = await fixtures.addWebhook();
  const planned = Array.from({ length: 20 }, () => fixtures.plan([webhookId], { state: 'queued' }));
  await fixtures.write(planned);
  const due = planned.map((alert) => ({ deliveryId: alert.deliveries[0]!.id, run: 1 }));
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      fixtures.claims.claim(index % 2 ? due : [...due].reverse(), randomUUID()),
    ),
  );
  const ids = claims.flat().map((claimed) => claimed.deliveryId);
  expect(ids).toHaveLength(20);
  expect(new Set(ids).size).toBe(20);
});

test('a claim returns the age of the current run of the delivery, and the pause of its webhook', async () => {
  const due = await fixtures.queueOne();
  const { webhook_id: webhookId } = await fixtures.open(due.deliveryId);
  const pause = { webhookId, version: 1, reason: 'circuit', forMs: 60_000, times: 3, error: '' } as const;
  await fixtures.pauses.pause([pause]);
  await db.database
    .knex('open_deliveries')
    .where({ delivery_id: due.deliveryId })
    .update({ opened_at: new Date(Date.now() - 3_600_000) });
  const claimed = await fixtures.claimOne(due);
  expect(claimed.pause).toMatchObject({ reason: 'circuit', times: 3 });
  expect(Math.abs(claimed.pause!.remainingMs - 60_000)).toBeLessThan(30_000);
  expect(Math.abs(claimed.ageMs - 3_600_000)).toBeLessThan(30_000);
  expect(claimed.claimedAtMs).toBeLessThanOrEqual(performance.now());
});

test('a claim returns no webhook if the webhook was deleted or belongs to another workspace', async () => {
  const [foreign, deleted] = [await fixtures.queueOne(), await fixtures.queueOne()];
  const webhooks = db.database.knex('webhooks');
  const idOf = async (due: typeof foreign) => (await fixtures.open(due.deliveryId)).webhook_id;
  await webhooks
    .clone()
    .where({ id: await idOf(foreign) })
    .update({ workspace_id: randomUUID() });
  await webhooks
    .clone()
    .where({ id: await idOf(deleted) })
    .delete();
  const claimed = await fixtures.claims.claim([foreign, deleted], randomUUID());
  expect(claimed.map(({ webhook, pause }) => [webhook, pause])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
});
