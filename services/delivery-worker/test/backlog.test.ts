import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/database/testing';
import { createScene, type Scene } from './support/scene.js';

let db: TestDatabase;
let scene: Scene;

beforeEach(async () => {
  db = await createTestDatabase();
  scene = createScene(db.database);
});
afterEach(() => db.drop());

/** Deliveries of a webhook that came due so many seconds ago. */
async function owe(count: number, { workspaceId, secondsAgo }: { workspaceId: string; secondsAgo: number }) {
  const webhookId = randomUUID();
  await db.database.knex.raw(
    `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, generation, state, due_at,
       opened_at, claim)
     select gen_random_uuid(), :workspaceId, :webhookId, gen_random_uuid(), 1, 'waiting',
       now() - make_interval(secs => :secondsAgo), now(), 0
     from generate_series(1, :count)`,
    { count, workspaceId, webhookId, secondsAgo },
  );
  return webhookId;
}

const first = '00000000-0000-4000-8000-000000000000';
const last = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

test('what waits for a destination that is held back, however much, hides nothing that is overdue', async () => {
  const held = await owe(100_001, { workspaceId: first, secondsAgo: 3_600 });
  await db.database
    .knex('webhook_holds')
    .insert({ webhook_id: held, reason: 'circuit', held_until: new Date(Date.now() + 60_000), times: 1 });
  await owe(3, { workspaceId: last, secondsAgo: 200 });
  await owe(2, { workspaceId: last, secondsAgo: 20 });
  await owe(1, { workspaceId: last, secondsAgo: -60 });
  const backlog = await scene.dispatch.backlog();
  expect(backlog).toMatchObject({ due: 100_005, overdue: 3, openCircuits: 1, retryAfters: 0 });
  expect(backlog.oldestDueSeconds).toBeGreaterThanOrEqual(200);
  expect(backlog.oldestDueSeconds).toBeLessThan(260);
});

test('where nothing waits, everything is nothing', async () => {
  const none = { due: 0, overdue: 0, oldestDueSeconds: 0, openCircuits: 0, retryAfters: 0 };
  expect(await scene.dispatch.backlog()).toEqual(none);
});
