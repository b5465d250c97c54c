import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { createScene, type Scene } from './support/scene.js';

let db: TestDatabase;
let scene: Scene;

beforeEach(async () => {
  db = await createTestDatabase();
  scene = createScene(db.database);
});
afterEach(() => db.drop());

/** In the order in which they stand in the index of what waits. */
const held = { workspaceId: '00000000-0000-4000-8000-000000000000', webhookId: randomUUID() };
const other = { workspaceId: 'ffffffff-ffff-4fff-bfff-ffffffffffff', webhookId: randomUUID() };

/** Deliveries that came due so many seconds ago. */
async function owe(webhook: typeof held, { count = 1, secondsAgo }: { count?: number; secondsAgo: number }) {
  await db.database.knex.raw(
    `insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at,
       opened_at, claim)
     select gen_random_uuid(), :workspaceId, :webhookId, gen_random_uuid(), 1, 'waiting',
       now() - make_interval(secs => :secondsAgo), now(), 0
     from generate_series(1, :count)`,
    { ...webhook, count, secondsAgo },
  );
}

test('what waits for a destination that is held back, however much, hides nothing that is overdue', async () => {
  const hold = { webhook_id: held.webhookId, reason: 'circuit', paused_until: new Date(), times: 1 };
  await db.database.knex('webhook_pauses').insert(hold);
  for (let tenth = 0; tenth < 11; tenth += 1) await owe(held, { count: 10_000, secondsAgo: 7_200 });
  await owe(other, { count: 3, secondsAgo: 200 });
  await owe(other, { count: 2, secondsAgo: 0 });
  await owe(other, { secondsAgo: -3_600 });
  const backlog = await scene.dispatch.backlog();
  expect(backlog).toMatchObject({ due: 100_005, overdue: 3, openCircuits: 1, retryAfters: 0 });
  expect(backlog.oldestDueSeconds).toBeGreaterThanOrEqual(200);
  expect(backlog.oldestDueSeconds).toBeLessThan(7_200);
}, 120_000);

test('where nothing waits, everything is nothing', async () => {
  const none = { due: 0, overdue: 0, oldestDueSeconds: 0, openCircuits: 0, retryAfters: 0 };
  expect(await scene.dispatch.backlog()).toEqual(none);
});
