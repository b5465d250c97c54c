import { randomUUID } from 'node:crypto';
import type { Delivery, DeliveryStats } from '@tocsin/contracts';
import { applyStatsChanges } from '@tocsin/deliveries';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

const path = `/api/v1/workspaces/${workspaceId}/delivery_stats`;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Yesterday at noon UTC, in Unix milliseconds. */
const noonMs = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2;
const iso = (ms: number) => new Date(ms).toISOString();

const api = useApi();
afterEach(async () => {
  await api.database.knex.raw('truncate deliveries, open_deliveries, delivery_stats, delivery_stats_changes');
});

async function stats(
  query: Record<string, string> = {},
  as: 'reader' | 'admin' = 'reader',
): Promise<DeliveryStats> {
  const { status, body } = await api.call<DeliveryStats>('GET', `${path}?${new URLSearchParams(query)}`, {
    as,
  });
  expect(status).toBe(200);
  return body;
}

const yesterday = { since: iso(noonMs), until: iso(noonMs + 3 * hourMs), step: 'hour' };

test.each([false, true])(
  'deliveries are counted by hour, whether or not their counts are merged (merged: %s)',
  async (applied) => {
    const webhookId = randomUUID();
    for (const [hours, status] of [
      [0, 'succeeded'],
      [0, 'failed'],
      [0, 'open'],
      [2, 'skipped'],
      [3, 'failed'],
    ] as const)
      await seedDelivery(api.database, {
        webhookId,
        status,
        acceptedAtMs: noonMs + hours * hourMs,
        claims: 2,
      });
    await seedDelivery(api.database, { workspaceId: otherWorkspaceId, acceptedAtMs: noonMs });
    if (applied) await applyStatsChanges(api.database);
    const { steps, oldest_open_at } = await stats(yesterday);
    expect(oldest_open_at).toBe(iso(noonMs));
    const none = { succeeded: 0, failed: 0, skipped: 0, open: 0, attempts: 0, p50_ms: null, p95_ms: null };
    expect(steps).toEqual([
      {
        ...none,
        from: iso(noonMs),
        to: iso(noonMs + hourMs),
        ...{ succeeded: 1, failed: 1, open: 1, attempts: 6 },
        ...{ p50_ms: expect.any(Number), p95_ms: expect.any(Number) },
      },
      { ...none, from: iso(noonMs + hourMs), to: iso(noonMs + 2 * hourMs) },
      { ...none, from: iso(noonMs + 2 * hourMs), to: iso(noonMs + 3 * hourMs), skipped: 1, attempts: 2 },
    ]);
  },
);

test('a time step counts as many deliveries as a list of the same time range contains', async () => {
  for (let minute = -90; minute < 90; minute += 7)
    await seedDelivery(api.database, { status: 'failed', acceptedAtMs: noonMs + minute * 60_000 });
  const { steps } = await stats({ ...yesterday, since: iso(noonMs - 40 * 60_000) });
  expect(steps.map(({ from }) => from)).toEqual([-1, 0, 1, 2].map((hour) => iso(noonMs + hour * hourMs)));
  for (const { from, to, failed } of steps) {
    const list = `/api/v1/workspaces/${workspaceId}/deliveries?since=${from}&until=${to}&status=failed`;
    expect((await api.call<Delivery[]>('GET', list)).body).toHaveLength(failed);
  }
});

test('statistics can select one webhook, or count each webhook with group_by', async () => {
  const webhookIds = [randomUUID(), randomUUID()].sort();
  const [first, second] = webhookIds as [string, string];
  await seedDelivery(api.database, { webhookId: first, status: 'succeeded', acceptedAtMs: noonMs });
  await applyStatsChanges(api.database);
  await seedDelivery(api.database, { webhookId: second, status: 'open', acceptedAtMs: noonMs + hourMs });
  // This webhook has no delivery in the time range, so the response has no steps for it.
  await seedDelivery(api.database, { webhookId: randomUUID(), acceptedAtMs: noonMs + 5 * hourMs });
  const counts = ({ steps }: DeliveryStats) => steps.map(({ succeeded, open }) => [succeeded, open]);
  const ofFirst = await stats({ ...yesterday, webhook_id: first.toUpperCase() });
  expect(counts(ofFirst)).toEqual([
    [1, 0],
    [0, 0],
    [0, 0],
  ]);
  expect(ofFirst.steps[0]).not.toHaveProperty('webhook_id');
  expect(ofFirst.oldest_open_at).toBeNull();
  const ofSecond = await stats({ ...yesterday, webhook_id: second, group_by: 'webhook' });
  expect(counts(ofSecond)).toEqual([
    [0, 0],
    [0, 1],
    [0, 0],
  ]);
  expect(ofSecond.oldest_open_at).toBe(iso(noonMs + hourMs));
  const grouped = await stats({ ...yesterday, group_by: 'webhook' });
  expect(grouped.steps.map(({ webhook_id }) => webhook_id)).toEqual([
    ...webhookIds,
    ...webhookIds,
    ...webhookIds,
  ]);
  expect(counts(grouped)).toEqual([
    [1, 0],
    [0, 0],
    [0, 0],
    [0, 1],
    [0, 0],
    [0, 0],
  ]);
});

test.each([
  ['minute', false],
  ['minute', true],
  ['day', false],
  ['day', true],
])('deliveries are counted by %s, before and after counts are merged (merged: %s)', async (step, applied) => {
  const webhookId = randomUUID();
  const minuteMs = 60_000;
  for (const ms of [0, minuteMs - 1, minuteMs, 12 * hourMs - 1, 12 * hourMs])
    await seedDelivery(api.database, { webhookId, status: 'failed', acceptedAtMs: noonMs + ms });
  if (applied) await applyStatsChanges(api.database);
  const until = step === 'day' ? noonMs + 1 : noonMs + 2 * minuteMs;
  for (const query of [{}, { webhook_id: webhookId }, { group_by: 'webhook' }]) {
    const { steps } = await stats({ step, since: iso(noonMs), until: iso(until), ...query });
    expect([query, steps.map(({ failed }) => failed)]).toEqual([query, step === 'day' ? [4] : [2, 1]]);
  }
});

test('oldest_open_at also covers open deliveries outside the time range', async () => {
  for (const minutes of [11, 5, 8])
    await seedDelivery(api.database, { status: 'open', acceptedAtMs: noonMs + minutes * 60_000 + 123 });
  await applyStatsChanges(api.database);
  const acceptedAtMs = noonMs + 5 * 60_000;
  await seedDelivery(api.database, { workspaceId: otherWorkspaceId, status: 'open', acceptedAtMs });
  const future = { since: iso(Date.now() + hourMs), until: iso(Date.now() + 2 * hourMs) };
  expect((await stats(future)).oldest_open_at).toBe(iso(noonMs + 5 * 60_000 + 123));
  // The older open delivery in the same minute belongs to another webhook, so the query for `webhookId` ignores it.
  const webhookId = randomUUID();
  await seedDelivery(api.database, { webhookId, status: 'open', acceptedAtMs: acceptedAtMs + 456 });
  expect((await stats({ ...future, webhook_id: webhookId })).oldest_open_at).toBe(iso(acceptedAtMs + 456));
});

test('oldest_open_at ignores a day whose deliveries have all ended', async () => {
  const ended = await seedDelivery(api.database, { status: 'open', acceptedAtMs: noonMs });
  const acceptedAtMs = Date.now() - 1_000;
  await seedDelivery(api.database, { status: 'open', acceptedAtMs });
  await applyStatsChanges(api.database);
  await api.database.knex('open_deliveries').where({ delivery_id: ended }).delete();
  await api.database.knex('deliveries').where({ id: ended }).update({ status: 'succeeded' });
  expect((await stats()).oldest_open_at).toBe(iso(acceptedAtMs));
});

test('the default range of statistics is the last 24 hours, by hour', async () => {
  await seedDelivery(api.database, { acceptedAtMs: Date.now() - 23 * hourMs });
  const { steps } = await stats();
  expect(steps.length).toBe(25);
  expect(steps.reduce((sum, { failed }) => sum + failed, 0)).toBe(1);
});

test.each([
  ['step=week', 'step'],
  ['since=yesterday', 'since'],
  [`since=${iso(noonMs)}&until=${iso(noonMs)}`, 'until'],
  [`since=${iso(noonMs - 63 * dayMs)}&until=${iso(noonMs)}&step=hour`, 'step'],
  ['since=0001-01-01T00:00:00Z&step=minute', 'step'],
  ['webhook_id=1', 'webhook_id'],
  ['group_by=rule', 'group_by'],
  ['color=red', 'color'],
])('the statistics query %s gets 422 with an error of the parameter %s', async (query, parameter) => {
  const { status, body } = await api.call('GET', `${path}?${query}`);
  expect([status, body.errors?.[0]?.path]).toEqual([422, parameter]);
});

test('a query of statistics by webhook gets 422 if its result has more than 30,000 entries', async () => {
  const row = (index: number) => ({
    workspace_id: workspaceId,
    is_total: false,
    webhook_id: randomUUID(),
    step_minutes: index < 40 ? 1 : 1_440,
    ...{ open: 0, succeeded: 1, failed: 0, skipped: 0, attempts: 1, latencies: [] },
  });
  const webhooks = Array.from({ length: 40 }, (_, index) => row(index));
  const days = webhooks.map((webhook) => ({
    ...webhook,
    step_minutes: 1_440,
    at: new Date(noonMs - dayMs / 2),
  }));
  await api.database
    .knex('delivery_stats')
    .insert(webhooks.map((webhook) => ({ ...webhook, at: new Date(noonMs) })));
  await api.database.knex('delivery_stats').insert(days);
  const query = (hours: number) =>
    `${path}?since=${iso(noonMs)}&until=${iso(noonMs + hours * hourMs)}&step=minute&group_by=webhook`;
  expect((await api.call('GET', query(12))).status).toBe(200);
  const { status, body } = await api.call('GET', query(13));
  expect([status, body.errors?.[0]?.path]).toEqual([422, 'step']);
});

test.each([
  ['publisher', 403],
  ['outsider', 403],
  ['reader', 200],
] as const)('a request of the role %s for statistics gets %i', async (as, status) => {
  expect((await api.call('GET', path, { as })).status).toBe(status);
});
