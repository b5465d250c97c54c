import { randomUUID } from 'node:crypto';
import type { Redelivery } from '@tocsin/contracts';
import { createOpenDeliveryCounts, type OpenDeliveryCounts, runJobPage } from '@tocsin/deliveries';
import { realTimersExcept } from '@tocsin/testing';
import { otherWorkspaceId, type Problem, useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';
import { readAll } from './support/paging.js';

const redeliveries = `/api/v1/workspaces/${workspaceId}/redeliveries`;
const single = (id: string) => `${redeliveries}/${id}`;

const api = useApi();
let counts: OpenDeliveryCounts;
beforeAll(() => {
  counts = createOpenDeliveryCounts(api.database, api.config.limits.openDeliveries);
});
beforeEach(() => api.database.knex.raw('truncate deliveries, open_deliveries, jobs'));

const accept = (body: unknown) => api.call<Redelivery>('POST', redeliveries, { body });
const read = async (id: string) => (await api.call<Redelivery>('GET', single(id))).body;
const openIds = () => api.database.knex('open_deliveries').orderBy('delivery_id').pluck('delivery_id');

/** Runs all jobs to their end, page by page, with the function that the leader calls. */
async function work(): Promise<void> {
  while ((await runJobPage(api.database, { pageSize: 2, counts })) !== undefined);
}

test('a redelivery job reopens the deliveries that match its filter, and reports its progress', async () => {
  const webhookId = randomUUID();
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => seedDelivery(api.database, { webhookId })));
  await seedDelivery(api.database);
  await seedDelivery(api.database, { webhookId, status: 'succeeded' });
  await seedDelivery(api.database, { webhookId, workspaceId: otherWorkspaceId });
  const { status, headers, body } = await accept({ webhook_id: webhookId });
  expect(status).toBe(202);
  expect(headers.get('location')).toBe(single(body.id));
  expect(body).toMatchObject({ matched: 5, done: 0, status: 'running', workspace_id: workspaceId });
  expect(body.filter).toMatchObject({ webhook_id: webhookId, status: 'failed' });
  expect(Math.abs(Date.parse(body.filter.until) - Date.now())).toBeLessThan(60_000);
  // The page size also counts deliveries of the webhook that do not match the filter. The webhook has two such
  // deliveries, so a page of four contains at least two matches.
  await runJobPage(api.database, { pageSize: 4, counts });
  const { done, ...started } = await read(body.id);
  expect([2, 3, 4]).toContain(done);
  expect(started).toMatchObject({ matched: 5, status: 'running' });
  await work();
  expect(await read(body.id)).toMatchObject({ matched: 5, done: 5, status: 'done' });
  expect(await openIds()).toEqual(ids.sort());
});

test('the time range of a job ends when the job is accepted, or at an earlier `until`', async () => {
  const later = await accept({ until: '9999-12-31T23:59:59Z', all: true });
  expect(Date.parse(later.body.filter.until)).toBeLessThan(Date.now() + 60_000);
  const earlier = await accept({ until: '2025-01-01T00:00:00Z', status: 'skipped' });
  expect(earlier.body.filter).toEqual({ status: 'skipped', until: '2025-01-01T00:00:00.000Z' });
});

test('the time range of a job is shown in UTC', async () => {
  const body = { since: '2025-01-01T01:00:00+02:00', until: '2025-01-01T00:30:00.5-01:00' };
  const utc = { since: '2024-12-31T23:00:00.000Z', until: '2025-01-01T01:30:00.500Z' };
  const accepted = await accept(body);
  expect(accepted.body.filter).toEqual({ status: 'failed', ...utc });
  expect((await read(accepted.body.id)).filter).toEqual({ status: 'failed', ...utc });
});

test('a job does not change deliveries that were accepted at the time in `until` or later', async () => {
  const nowMs = Date.now();
  const [older] = await Promise.all(
    [2_000, 1_000].map((ageMs) => seedDelivery(api.database, { acceptedAtMs: nowMs - ageMs })),
  );
  const { body } = await accept({ until: new Date(nowMs - 1_000).toISOString() });
  expect(body.matched).toBe(1);
  await work();
  expect(await openIds()).toEqual([older]);
});

test("the time range of a job ends at the database's time and includes the newest deliveries", async () => {
  const id = await seedDelivery(api.database, { acceptedAtMs: Date.now() });
  import.meta.jest.useFakeTimers({ doNotFake: realTimersExcept('Date'), now: Date.now() - 20_000 });
  try {
    expect(await accept({ status: 'failed', all: true })).toMatchObject({
      status: 202,
      body: { matched: 1 },
    });
  } finally {
    import.meta.jest.useRealTimers();
  }
  await work();
  expect(await openIds()).toEqual([id]);
});

test('a job without a filter is rejected with the names of the filters', async () => {
  const { status, body } = await api.call<Problem>('POST', redeliveries, { body: {} });
  expect(status).toBe(422);
  expect(body.errors?.[0]?.message).toMatch(/^must have at least 1 of its properties: .*webhook_id/);
});

test.each([
  [{ status: 'succeeded' }, 'succeeded'],
  [{ status: 'failed' }, 'failed'],
  [{ all: false }, 'failed'],
  [{ status: 'succeeded', all: false }, 'succeeded'],
])(
  'a job with only the filter %j is rejected, because it matches the whole workspace',
  async (filter, status) => {
    await seedDelivery(api.database, { status: 'succeeded', response: 'ok' });
    const rejected = await api.call<Problem>('POST', redeliveries, { body: filter });
    expect([rejected.status, rejected.body.code]).toEqual([422, 'validation_failed']);
    expect(rejected.body.errors?.[0]?.message).toContain(`"all": true to send every ${status} delivery`);
    expect(await openIds()).toEqual([]);
    expect(await api.database.knex('jobs')).toEqual([]);
  },
);

test('a job with `all: true` reopens every delivery with the given status', async () => {
  const id = await seedDelivery(api.database, { status: 'succeeded', response: 'ok' });
  await seedDelivery(api.database);
  const { status, body } = await accept({ status: 'succeeded', all: true });
  expect([status, body.matched, body.filter]).toEqual([
    202,
    1,
    { status: 'succeeded', until: body.filter.until },
  ]);
  await work();
  expect(await openIds()).toEqual([id]);
  expect((await accept({ all: true })).body).toMatchObject({ matched: 1, filter: { status: 'failed' } });
});

test('a cancelled job stops and cannot be cancelled again', async () => {
  await Promise.all([1, 2, 3, 4, 5].map(() => seedDelivery(api.database)));
  const { body } = await accept({ status: 'failed', all: true });
  await runJobPage(api.database, { pageSize: 2, counts });
  const cancelled = await api.call<Redelivery>('DELETE', single(body.id));
  expect([cancelled.status, cancelled.body.status, cancelled.body.done]).toEqual([200, 'cancelled', 2]);
  await work();
  expect(await openIds()).toHaveLength(2);
  expect((await api.call('DELETE', single(body.id))).status).toBe(409);
  expect(await read(body.id)).toMatchObject({ status: 'cancelled', done: 2 });
});

test('redelivery jobs of the workspace are listed newest first, in pages, with their total', async () => {
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1)
    made.push((await accept({ status: 'skipped', all: true })).body.id);
  const elsewhere = redeliveries.replace(workspaceId, otherWorkspaceId);
  const other = { as: 'admin', body: { status: 'skipped', all: true } } as const;
  expect((await api.call('POST', elsewhere, other)).status).toBe(202);
  const { entries, pages } = await readAll<Redelivery>(api, `${redeliveries}?limit=2`, { as: 'editor' });
  expect(entries.map(({ id }) => id)).toEqual(made.toSorted().toReversed());
  expect(pages).toBe(3);
  const counted = await api.call('GET', `${redeliveries}?count=true`, { as: 'editor' });
  expect(counted.headers.get('x-total-count')).toBe('5');
});

test('a workspace can have at most ten running jobs', async () => {
  for (let count = 0; count < 10; count += 1) expect((await accept({ all: true })).status).toBe(202);
  expect((await accept({ all: true })).status).toBe(409);
  // The limit of ten running jobs counts the jobs of all kinds together.
  for (const kind of ['dispatches', 'cancellations'])
    expect([
      kind,
      (await api.call('POST', redeliveries.replace('redeliveries', kind), { body: { all: true } })).status,
    ]).toEqual([kind, 409]);
  const elsewhere = redeliveries.replace(workspaceId, otherWorkspaceId);
  expect((await api.call('POST', elsewhere, { as: 'admin', body: { all: true } })).status).toBe(202);
  await work();
  expect((await accept({ all: true })).status).toBe(202);
});

test('redelivery jobs need the permission, and a job is found only in its workspace', async () => {
  const { body } = await accept({ status: 'failed', all: true });
  for (const as of ['reader', 'publisher', 'outsider'] as const) {
    expect((await api.call('POST', redeliveries, { as, body: { status: 'failed' } })).status).toBe(403);
    expect((await api.call('GET', redeliveries, { as })).status).toBe(403);
    expect((await api.call('GET', single(body.id), { as })).status).toBe(403);
    expect((await api.call('DELETE', single(body.id), { as })).status).toBe(403);
  }
  const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/redeliveries/${body.id}`;
  expect((await api.call('DELETE', elsewhere, { as: 'outsider' })).status).toBe(404);
  expect((await api.call('GET', single(randomUUID()))).status).toBe(404);
  expect((await api.call('GET', single('x'))).status).toBe(422);
});

test.each([
  ['no filter', {}],
  ['an unknown member', { status: 'failed', webhook: randomUUID() }],
  ['an open status', { status: 'waiting' }],
  ['SQL', { webhook_id: `'; drop table redeliveries; --` }],
  ['a NUL', { status: 'failed\0' }],
  ['null', { since: null }],
  ['a number as text', { status_code: '500' }],
  ['a number that is too large', { status_code: 1e300 }],
  ['a time without a zone', { until: '2025-01-01T00:00:00' }],
  ['an array', [{ status: 'failed' }]],
])('a redelivery request with %s is rejected and creates no job', async (_, body) => {
  expect((await accept(body)).status).toBe(422);
  expect(await api.database.knex('jobs')).toEqual([]);
});
