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
  await scene.pauses.pause([
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
  expect(await scene.dispatch.releaseExpired()).toBe(0);
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
  await scene.pauses.pause([{ webhookId, version: 1, reason: 'retry_after', forMs: -1, times: 1 }]);
  const [candidate] = (await scene.dispatch.survey(10)).filter((entry) => entry.webhookId === webhookId);
  expect(candidate).toMatchObject({ probing: true, due: 1 });
});
