import { randomUUID } from 'node:crypto';
import { useTestDatabase } from '@tocsin/testing/database';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db);

test('two concurrent writes of an alert with the same key write its rows only once', async () => {
  const webhookId = await fixtures.addWebhook();
  const alertId = randomUUID();
  const first = fixtures.plan([webhookId], { alertId });
  const second = fixtures.plan([webhookId], { alertId, acceptedAtMs: Date.now() + 5 });
  const written = await Promise.all([
    fixtures.write([first]),
    fixtures.write([second], { acceptedAtMs: Date.now() + 5 }),
  ]);
  // A write returns the ids of its new rows: the alert and its one delivery, or none.
  expect(written.map(({ ids }) => ids.size).sort()).toEqual([0, 2]);
  const rows = await fixtures.database.knex('deliveries').where({ alert_id: alertId });
  expect(rows).toHaveLength(1);
});

test('due deliveries are queued up to the places of their webhook, unless the webhook is paused', async () => {
  const [free, held] = [await fixtures.addWebhook(), await fixtures.addWebhook()];
  await fixtures.write([fixtures.plan([free, held]), fixtures.plan([free, held])]);
  await fixtures.pauses.pause([
    { webhookId: held, version: 1, reason: 'circuit', forMs: 60_000, times: 1, error: '' },
    { webhookId: free, version: 0, reason: 'circuit', forMs: 60_000, times: 1, error: '' },
  ]);
  const { candidates, paused } = await fixtures.findWebhooks();
  expect(paused).toEqual([{ workspaceId: fixtures.workspaceId, webhookId: held }]);
  expect(candidates).toMatchObject([
    { workspaceId: fixtures.workspaceId, webhookId: free, due: 2, probing: false },
  ]);
  const due = await fixtures.dispatch.queue([{ candidate: candidates[0]!, places: 1 }]);
  expect(due).toHaveLength(1);
  const queued = await fixtures.dispatch.queued([]);
  expect(queued.webhooks).toContainEqual({ workspaceId: fixtures.workspaceId, webhookId: free, queued: 1 });
  expect(queued.unclaimed).toBeGreaterThan(0);
  expect(await fixtures.releaseExpired()).toBe(0);
});

test('a statement that queues deliveries has no effect if it reaches the database 11 s late', async () => {
  const webhookId = await fixtures.addWebhook();
  await fixtures.write([fixtures.plan([webhookId])]);
  const [candidate] = (await fixtures.findWebhooks()).candidates;
  const stale = { ...candidate!, queueBy: new Date(candidate!.queueBy.getTime() - 11_000) };
  expect(await fixtures.dispatch.queue([{ candidate: stale, places: 1 }])).toEqual([]);
  expect(await fixtures.dispatch.queue([{ candidate: candidate!, places: 1 }])).toHaveLength(1);
});

test('a webhook whose pause has ended is found and marked as probing', async () => {
  const webhookId = await fixtures.addWebhook();
  await fixtures.write([fixtures.plan([webhookId])]);
  await fixtures.pauses.pause([
    { webhookId, version: 1, reason: 'retry_after', forMs: -1, times: 1, error: '' },
  ]);
  const [candidate] = (await fixtures.findWebhooks()).candidates;
  expect(candidate).toMatchObject({ probing: true, due: 1 });
});

test('the dispatcher counts the expired deliveries of webhooks that are probed', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const { knex } = db.database;
  const add = async (forMs: number, columns = {}) => {
    const webhookId = await fixtures.addWebhook({ columns });
    for (const due_at of [ago(25), ago(25), ago(23), ago(23)]) {
      const planned = fixtures.plan([webhookId]);
      await fixtures.write([planned]);
      await knex('open_deliveries').where({ delivery_id: planned.deliveries[0]!.id }).update({ due_at });
    }
    const pause = { webhookId, version: 1, reason: 'circuit', forMs, times: 1, error: '' } as const;
    await fixtures.pauses.pause([pause]);
    return webhookId;
  };
  const pausedUntil = (hours: number) => ({ manual_pauses: `{[2026-01-01,${ago(hours).toISOString()})}` });
  const [unpaused, limited] = [await add(-1), await add(-1)];
  await knex('webhook_pauses').where({ webhook_id: unpaused }).delete();
  await knex('webhook_rate_limits').insert({ webhook_id: limited, requests: 9, period_ms: 60_000 });
  const expected = new Map([
    [await add(-1), 2],
    [await add(-1, pausedUntil(25)), 2],
    [await add(-1, pausedUntil(23)), 0],
    [unpaused, 0],
    [limited, 0],
  ]);
  const { candidates } = await fixtures.findWebhooks();
  expect(new Map(candidates.map(({ webhookId, expired }) => [webhookId, expired]))).toEqual(expected);
});

test('the dispatcher does not find a webhook whose rate limit allows no request now', async () => {
  const columns = { rate_limit_requests: 1, rate_limit_period_ms: 60_000 };
  const webhookId = await fixtures.addWebhook({ columns });
  const limit = { webhook_id: webhookId, requests: 1, period_ms: 60_000 };
  await db.database.knex('webhook_rate_limits').insert(limit);
  await fixtures.write([fixtures.plan([webhookId])]);
  const found = await fixtures.findWebhooks();
  expect(found).toMatchObject({ candidates: [{ webhookId, limited: true }], hasLimited: true });
  const next_at = new Date(Date.now() + 60_000);
  await db.database.knex('webhook_rate_limits').where({ webhook_id: webhookId }).update({ next_at });
  expect(await fixtures.findWebhooks()).toMatchObject({ candidates: [], paused: [], hasLimited: true });
});

test('a webhook whose rate limit allows no request is found if its oldest delivery has expired', async () => {
  const limit = { requests: 1, period_ms: 60_000, next_at: new Date(Date.now() + 60_000) };
  const addBlocked = async (columns: object = {}) => {
    const rate = { rate_limit_requests: 1, rate_limit_period_ms: 60_000 };
    const webhook_id = await fixtures.addWebhook({ columns: { ...rate, ...columns } });
    await db.database.knex('webhook_rate_limits').insert({ webhook_id, ...limit });
    await fixtures.write([fixtures.plan([webhook_id]), fixtures.plan([webhook_id])]);
    return webhook_id;
  };
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const pausedUntil = (hours: number) => ({ manual_pauses: `{[2026-01-01,${ago(hours).toISOString()})}` });
  const ids = [await addBlocked(), await addBlocked(pausedUntil(25))];
  await addBlocked(pausedUntil(23));
  const setAge = (hours: number) => db.database.knex('open_deliveries').update({ due_at: ago(hours) });
  await setAge(23);
  expect((await fixtures.findWebhooks()).candidates).toEqual([]);
  await setAge(25);
  // Only requests need places in the window, so the due deliveries are not counted.
  const expected = ids.sort().map((webhookId) => ({ webhookId, limited: true, due: 1 }));
  expect((await fixtures.findWebhooks()).candidates).toMatchObject(expected);
});

test('postponed deliveries are due at the end of the pause, or at once if it ends early', async () => {
  const webhookId = await fixtures.addWebhook();
  const webhook = { workspaceId: fixtures.workspaceId, webhookId };
  const planned = fixtures.plan([webhookId]);
  await fixtures.write([planned]);
  const pause = { webhookId, version: 1, reason: 'circuit', forMs: 60_000, times: 1, error: '' } as const;
  await fixtures.pauses.pause([pause]);
  const { paused_until } = await db.database.knex('webhook_pauses').where({ webhook_id: webhookId }).first();
  await fixtures.dispatch.postpone([webhook], 10);
  const id = planned.deliveries[0]!.id;
  expect(await fixtures.open(id)).toMatchObject({ due_at: paused_until, waiting_reason: 'paused' });
  expect(await fixtures.findWebhooks()).toMatchObject({ candidates: [], paused: [] });
  await fixtures.pauses.resume(webhookId);
  expect((await fixtures.findWebhooks()).candidates).toMatchObject([{ webhookId, due: 1, probing: false }]);
});

test('deliveries are postponed by at most five minutes, and a shortened pause makes them due', async () => {
  const webhookId = await fixtures.addWebhook();
  const planned = fixtures.plan([webhookId]);
  await fixtures.write([planned]);
  const pause = {
    webhookId,
    version: 1,
    reason: 'retry_after',
    forMs: 3_600_000,
    times: 1,
    error: '',
  } as const;
  await fixtures.pauses.pause([pause]);
  await fixtures.dispatch.postpone([{ workspaceId: fixtures.workspaceId, webhookId }], 10);
  const { due_at } = await fixtures.open(planned.deliveries[0]!.id);
  expect(Math.abs(due_at.getTime() - Date.now() - 300_000)).toBeLessThan(30_000);
  await db.database
    .knex('webhook_pauses')
    .where({ webhook_id: webhookId })
    .update({ paused_until: new Date() });
  expect((await fixtures.findWebhooks()).candidates).toMatchObject([{ webhookId, due: 1, probing: true }]);
});

test('at most `limit` due deliveries of a webhook are postponed, and only during a pause', async () => {
  const [paused, probing] = [await fixtures.addWebhook(), await fixtures.addWebhook()];
  const planned = [0, 1, 2].map(() => fixtures.plan([paused, probing]));
  await fixtures.write(planned);
  const openOf = (webhook_id: string) => db.database.knex('open_deliveries').where({ webhook_id });
  const [later] = await openOf(paused);
  const notDue = { due_at: new Date(Date.now() + 30_000), waiting_reason: 'retry' };
  await openOf(paused).where({ delivery_id: later.delivery_id }).update(notDue);
  const pause = { version: 1, reason: 'circuit', times: 1, error: '' } as const;
  await fixtures.pauses.pause([
    { ...pause, webhookId: paused, forMs: 60_000 },
    { ...pause, webhookId: probing, forMs: -1 },
  ]);
  const webhooks = [paused, probing].map((webhookId) => ({ workspaceId: fixtures.workspaceId, webhookId }));
  const postponed = () => openOf(paused).where({ waiting_reason: 'paused' });
  await fixtures.dispatch.postpone(webhooks, 1);
  expect(await postponed()).toHaveLength(1);
  await fixtures.dispatch.postpone(webhooks, 10);
  expect(await postponed()).toHaveLength(2);
  expect(await openOf(probing).whereNot({ waiting_reason: 'backlog' })).toEqual([]);
});

test('hasOpen resolves to true while a delivery is waiting or queued', async () => {
  await db.database.knex('open_deliveries').delete();
  expect(await fixtures.dispatch.hasOpen()).toBe(false);
  const due = await fixtures.queueOne();
  expect(await fixtures.dispatch.hasOpen()).toBe(true);
  await fixtures.dispatch.unqueue([due]);
  expect(await fixtures.dispatch.hasOpen()).toBe(true);
});

test('no delivery is postponed while another transaction ends the pause', async () => {
  const webhookId = await fixtures.addWebhook();
  const planned = fixtures.plan([webhookId]);
  await fixtures.write([planned]);
  const pause = { webhookId, version: 1, reason: 'circuit', forMs: 60_000, times: 1, error: '' } as const;
  await fixtures.pauses.pause([pause]);
  const before = await fixtures.open(planned.deliveries[0]!.id);
  await db.database.knex.transaction(async (trx) => {
    await trx('webhook_pauses').where({ webhook_id: webhookId }).delete();
    await fixtures.dispatch.postpone([{ workspaceId: fixtures.workspaceId, webhookId }], 10);
  });
  expect(await fixtures.open(planned.deliveries[0]!.id)).toEqual(before);
});

test('the oldest due deliveries of a webhook are queued first and get a lease', async () => {
  const webhookId = await fixtures.addWebhook();
  const planned = [3, 1, 2, 4].map(() => fixtures.plan([webhookId]));
  await fixtures.write(planned);
  const ids = planned.map(({ deliveries }) => deliveries[0]!.id);
  const agesMs = [30_000, 10_000, 20_000, -60_000];
  for (const [index, id] of ids.entries())
    await db.database
      .knex('open_deliveries')
      .where({ delivery_id: id })
      .update({ due_at: new Date(Date.now() - agesMs[index]!) });
  const [candidate] = (await fixtures.findWebhooks()).candidates;
  expect(candidate).toMatchObject({ webhookId, due: 3 });
  const queue = async (places: number) =>
    (await fixtures.dispatch.queue([{ candidate: candidate!, places }])).map(({ deliveryId }) => deliveryId);
  expect(await queue(1)).toEqual([ids[0]]);
  expect(new Set(await queue(10))).toEqual(new Set([ids[1], ids[2]]));
  const { state, lease_until } = await fixtures.open(ids[0]!);
  expect(state).toBe('queued');
  expect(Math.abs(lease_until.getTime() - Date.now() - 60_000)).toBeLessThan(30_000);
});

test('a claimed delivery is counted as queued for its webhook, and not as unclaimed', async () => {
  const before = (await fixtures.dispatch.queued([])).unclaimed;
  const due = await fixtures.queueOne();
  const { webhook_id: webhookId } = await fixtures.open(due.deliveryId);
  expect((await fixtures.dispatch.queued([])).unclaimed).toBe(before + 1);
  await fixtures.claimOne(due);
  const { webhooks, unclaimed } = await fixtures.dispatch.queued([]);
  expect(unclaimed).toBe(before);
  expect(webhooks).toContainEqual({ workspaceId: fixtures.workspaceId, webhookId, queued: 1 });
});

test('unqueue changes no delivery that is claimed or whose run differs from the given one', async () => {
  const [claimed, later] = [await fixtures.queueOne(), await fixtures.queueOne()];
  await fixtures.claimOne(claimed);
  await fixtures.dispatch.unqueue([claimed, { ...later, run: 2 }]);
  expect(await fixtures.open(claimed.deliveryId)).toMatchObject({
    state: 'queued',
    claimed_by: fixtures.workerId,
  });
  expect(await fixtures.open(later.deliveryId)).toMatchObject({ state: 'queued' });
});

test('reading the due webhooks of a workspace returns no webhook of another workspace', async () => {
  const own = '00000000-0000-4000-8000-000000000001' as const;
  const foreign = 'ffffffff-0000-4000-8000-000000000001' as const;
  const plans = await Promise.all(
    [own, foreign].map(async (workspace) =>
      fixtures.plan([await fixtures.addWebhook({ workspace })], { workspace }),
    ),
  );
  await fixtures.write(plans);
  const { candidates, scannedTo } = await fixtures.findWebhooks(own);
  expect(candidates.map(({ workspaceId }) => workspaceId)).toEqual([own]);
  expect([...scannedTo.keys()]).toEqual([own]);
});

test('concurrent passes queue no delivery twice', async () => {
  const webhookId = await fixtures.addWebhook();
  const planned = Array.from({ length: 300 }, () => fixtures.plan([webhookId]));
  await fixtures.write(planned);
  const [candidate] = (await fixtures.findWebhooks()).candidates;
  const pass = () => fixtures.dispatch.queue([{ candidate: candidate!, places: 100 }]);
  const passes = await Promise.all([pass(), pass(), pass(), pass()]);
  const ids = passes.flat().map(({ deliveryId }) => deliveryId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(100);
});

test('queued() also returns those of the given webhooks that have due deliveries', async () => {
  const [due, later, none] = await Promise.all([0, 1, 2].map(() => fixtures.addWebhook()));
  const planned = [due!, later!].map((webhookId) => fixtures.plan([webhookId]));
  await fixtures.write(planned);
  const { id } = planned[1]!.deliveries[0]!;
  await db.database
    .knex('open_deliveries')
    .where({ delivery_id: id })
    .update({ due_at: new Date(Date.now() + 60_000) });
  const wanted = [due!, later!, none!].map((webhookId) => ({
    workspaceId: fixtures.workspaceId,
    webhookId,
  }));
  expect((await fixtures.dispatch.queued(wanted)).backlogged).toEqual([wanted[0]]);
});
