import { randomUUID } from 'node:crypto';
import type { RedeliveryFilter } from '@tocsin/contracts';
import {
  countRedeliverable,
  createDatabase,
  ensurePartitions,
  firstIdAt,
  redeliver,
  runRedeliveryPage,
} from '@tocsin/database';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { deliveryRow, openRow, type Seed, seedEnded } from './support/seed.js';

let test_: TestDatabase;
beforeEach(async () => {
  test_ = await createTestDatabase();
});
afterEach(() => test_.drop());

const workspaceId = randomUUID();
const webhookId = randomUUID();

async function seedMany(count: number, seed: Partial<Seed> = {}): Promise<string[]> {
  const seeds = Array.from({ length: count }, (_, index) =>
    seedEnded(test_.database, { workspaceId, acceptedAtMs: Date.now() - 60_000 - index, ...seed }),
  );
  return Promise.all(seeds);
}

async function addJob(filter: Partial<RedeliveryFilter> = {}): Promise<string> {
  const id = randomUUID();
  const whole = { status: 'failed', until: new Date().toISOString(), ...filter };
  await test_.database.knex('redeliveries').insert({
    id,
    workspace_id: workspaceId,
    filter: whole,
    matched: 0,
    cursor: firstIdAt(Date.parse(whole.until)),
    status: 'running',
    created_by: 'test',
    created_at: new Date(),
    updated_at: new Date(),
  });
  return id;
}

const job = (id: string) => test_.database.knex('redeliveries').where({ id }).first();

async function runToEnd(pageSize: number): Promise<void> {
  while ((await runRedeliveryPage(test_.database, pageSize)) !== undefined);
}

async function openIds(): Promise<string[]> {
  return (await test_.database
    .knex('open_deliveries')
    .orderBy('delivery_id')
    .pluck('delivery_id')) as string[];
}

it('redelivers all that match, page by page, each once', async () => {
  const ids = await seedMany(25);
  await seedMany(3, { status: 'succeeded' });
  await seedMany(3, { workspaceId: randomUUID() });
  const id = await addJob();
  await runToEnd(10);
  expect(await job(id)).toMatchObject({ status: 'done', done: 25 });
  expect(await openIds()).toEqual(ids.sort());
  for (const delivery of ids) expect(await deliveryRow(test_.database, delivery)).toMatchObject({ run: 2 });
});

it('finds nothing to do where no job is running', async () => {
  expect(await runRedeliveryPage(test_.database, 10)).toBeUndefined();
});

it.each([
  ['webhook', { webhook_id: webhookId }, { webhookId }],
  ['alert rule', { alert_rule_id: webhookId }, { alertRuleId: webhookId }],
  ['alert', { alert_id: webhookId }, { alertId: webhookId }],
  ['status', { status: 'skipped' }, { status: 'skipped' }],
  ['status code', { status_code: 404 }, { statusCode: 404 }],
  ['status and webhook', { status: 'succeeded', webhook_id: webhookId }, { status: 'succeeded', webhookId }],
] as const)('covers only what its filter by %s matches, as it was counted', async (_, filter, seed) => {
  await seedMany(12);
  const wanted = await seedMany(1, seed);
  const whole: RedeliveryFilter = { status: 'failed', until: new Date().toISOString(), ...filter };
  const counted = { workspaceId, filter: whole, max: 1_000, timeoutMs: 5_000 };
  expect(await countRedeliverable(test_.database, counted)).toBe(1);
  const id = await addJob(filter);
  await runToEnd(3);
  expect(await openIds()).toEqual(wanted);
  expect(await job(id)).toMatchObject({ status: 'done', done: 1 });
});

it('keeps to its time range, and counts no further than it is told', async () => {
  const now = Date.now();
  const inside = await seedMany(1, { acceptedAtMs: now - 30_000 });
  await seedMany(1, { acceptedAtMs: now - 60_000 });
  await seedMany(1, { acceptedAtMs: now - 10_000 });
  const filter = { since: new Date(now - 30_000).toISOString(), until: new Date(now - 10_000).toISOString() };
  await addJob(filter);
  await runToEnd(10);
  expect(await openIds()).toEqual(inside);
  const all: RedeliveryFilter = { status: 'failed', until: new Date(now).toISOString() };
  expect(
    await countRedeliverable(test_.database, { workspaceId, filter: all, max: 1, timeoutMs: 5_000 }),
  ).toBe(1);
});

it('leaves what failed after it was accepted', async () => {
  const [late] = await seedMany(1);
  await addJob();
  await test_.database
    .knex('deliveries')
    .where({ id: late })
    .update({ failed_at: new Date(Date.now() + 60_000) });
  await runToEnd(10);
  expect(await openIds()).toEqual([]);
});

it('opens the days of its page, and not those of the whole retention', async () => {
  const longAgo = Date.now() - 40 * 86_400_000;
  await ensurePartitions(test_.database, longAgo);
  const ids = await seedMany(10);
  const [old] = await seedMany(1, { acceptedAtMs: longAgo });
  await addJob();
  // With the plans that a worker has.
  const worker = createDatabase({ url: test_.url, applicationName: 'worker', plansByKey: true, poolSize: 1 });
  const busy = await test_.database.knex.transaction();
  const day = new Date(longAgo).toISOString().slice(0, 10).replaceAll('-', '');
  await busy.raw(`lock table deliveries_${day} in access exclusive mode`);
  const page = await runRedeliveryPage(worker, 10);
  await busy.rollback();
  expect(page).toMatchObject({ redelivered: 10, finished: false });
  expect(await openIds()).toEqual(ids.sort());
  expect(await runRedeliveryPage(worker, 10)).toMatchObject({ redelivered: 1, finished: true });
  expect(await openRow(test_.database, old!)).toBeDefined();
  await worker.close();
});

it('killed within a page goes on as if that page had not begun', async () => {
  const ids = await seedMany(20);
  const id = await addJob();
  const worker = createDatabase({ url: test_.url, applicationName: 'doomed-worker', poolSize: 1 });
  expect(await runRedeliveryPage(worker, 5)).toMatchObject({ redelivered: 5, finished: false });
  // The next page stops at a row that another holds, and its worker dies there.
  const holder = await test_.database.knex.transaction();
  await holder('deliveries').whereIn('id', ids).select('id').forUpdate();
  const dying = expect(runRedeliveryPage(worker, 5)).rejects.toThrow();
  const doomed = `from pg_stat_activity where application_name = 'doomed-worker' and wait_event_type = 'Lock'`;
  while ((await test_.database.knex.raw(`select pg_terminate_backend(pid) ${doomed}`)).rows.length === 0);
  await dying;
  await worker.close();
  await holder.commit();
  expect(await job(id)).toMatchObject({ status: 'running', done: 5 });
  await runToEnd(5);
  expect(await job(id)).toMatchObject({ status: 'done', done: 20 });
  for (const delivery of ids) expect(await deliveryRow(test_.database, delivery)).toMatchObject({ run: 2 });
});

it('carried out by several workers at once, beside callers that redeliver by hand, reopens each once', async () => {
  const ids = await seedMany(40);
  const jobs = [await addJob(), await addJob(), await addJob()];
  await Promise.all([
    runToEnd(7),
    runToEnd(5),
    runToEnd(3),
    ...ids.slice(0, 10).map((delivery) => redeliver(test_.database, delivery)),
  ]);
  expect(await openIds()).toEqual([...ids].sort());
  for (const delivery of ids) expect(await deliveryRow(test_.database, delivery)).toMatchObject({ run: 2 });
  for (const id of jobs) {
    while ((await job(id)).status === 'running') await runToEnd(50);
  }
});

it('a cancelled job does nothing more', async () => {
  await seedMany(10);
  const id = await addJob();
  await runRedeliveryPage(test_.database, 4);
  await test_.database.knex('redeliveries').where({ id }).update({ status: 'cancelled' });
  await runToEnd(4);
  expect(await openIds()).toHaveLength(4);
  expect(await job(id)).toMatchObject({ status: 'cancelled', done: 4 });
});

it('jobs take turns', async () => {
  await seedMany(4);
  await seedMany(4, { status: 'skipped' });
  const [first, second] = [await addJob(), await addJob({ status: 'skipped' })];
  const pages = [await runRedeliveryPage(test_.database, 2), await runRedeliveryPage(test_.database, 2)];
  expect(pages.map((page) => page?.jobId).sort()).toEqual([first, second].sort());
});

it('a job whose page fails lets the others have their turn', async () => {
  const [locked] = await seedMany(1);
  await seedMany(1, { status: 'skipped' });
  const [failing, other] = [await addJob(), await addJob({ status: 'skipped' })];
  const options = { url: test_.url, applicationName: 'test', poolSize: 2, lockTimeoutMs: 50 };
  const worker = createDatabase(options);
  await test_.database.knex.transaction(async (trx) => {
    await trx('deliveries').where({ id: locked }).select('id').forUpdate();
    await expect(runRedeliveryPage(worker, 5)).rejects.toThrow(/lock timeout/);
    expect(await runRedeliveryPage(worker, 5)).toMatchObject({ jobId: other, finished: true });
  });
  expect(await runRedeliveryPage(worker, 5)).toMatchObject({ jobId: failing, redelivered: 1 });
  await worker.close();
});

it('sends open deliveries of the match on nothing: they are on their way', async () => {
  const [id] = await seedMany(1);
  await redeliver(test_.database, id!);
  const before = await openRow(test_.database, id!);
  const jobId = await addJob();
  await runToEnd(10);
  expect(await openRow(test_.database, id!)).toEqual(before);
  expect(await job(jobId)).toMatchObject({ status: 'done', done: 0 });
});
