import { randomUUID } from 'node:crypto';
import type { RedeliveryFilter } from '@tocsin/contracts';
import { createDatabase, ensurePartitions } from '@tocsin/database';
import { countForJob, createOpenDeliveryCounts, redeliver, runJobPage } from '@tocsin/deliveries';
import { type DeliveryFixture, insertDelivery, untilLockWaits } from '@tocsin/testing/database';
import { useJobs } from './support/jobs.js';

const { db, workspaceId, addJob, job, limitOpen, runPage, runToEnd } = useJobs({
  kind: 'redelivery',
  filter: { status: 'failed' },
});
const webhookId = randomUUID();

async function seedMany(count: number, seed: DeliveryFixture = {}): Promise<string[]> {
  const seeds = Array.from({ length: count }, (_, index) =>
    insertDelivery(db.database, { workspaceId, acceptedAtMs: Date.now() - 60_000 - index, ...seed }),
  );
  return Promise.all(seeds);
}

async function openIds(): Promise<string[]> {
  return (await db.database.knex('open_deliveries').orderBy('delivery_id').pluck('delivery_id')) as string[];
}

test('a job redelivers each matching delivery once, page by page', async () => {
  const ids = await seedMany(25);
  await seedMany(3, { status: 'succeeded' });
  await seedMany(3, { workspaceId: randomUUID() });
  const id = await addJob();
  await runToEnd(10);
  expect(await job(id)).toMatchObject({ status: 'done', done: 25 });
  expect(await openIds()).toEqual(ids.sort());
  for (const delivery of ids) expect(await deliveryRow(delivery)).toMatchObject({ run: 2 });
});

test('deliveries that a job reopens are added to the counts of open deliveries', async () => {
  await seedMany(3, { webhookId });
  await addJob();
  const written: object[] = [];
  const limits = { perWebhook: 100_000, perWorkspace: 1_000_000 };
  const counts = createOpenDeliveryCounts(db.database, limits);
  await runJobPage(db.database, {
    pageSize: 10,
    counts: { ...counts, written: (webhooks) => void written.push(...webhooks) },
  });
  expect(written).toEqual(Array(3).fill({ workspaceId, webhookId }));
});

test('runJobPage does nothing while no job is running', async () => {
  expect(await runPage(10)).toBeUndefined();
});

test.each([
  ['webhook', { webhook_id: webhookId }, { webhookId }],
  ['alert rule', { alert_rule_id: webhookId }, { alertRuleId: webhookId }],
  ['alert', { alert_id: webhookId }, { alertId: webhookId }],
  ['status', { status: 'skipped' }, { status: 'skipped' }],
  ['status code', { status_code: 404 }, { statusCode: 404 }],
  ['status and webhook', { status: 'succeeded', webhook_id: webhookId }, { status: 'succeeded', webhookId }],
] as const)(
  'a job with a filter by %s redelivers the same deliveries that countForJob has counted',
  async (_, filter, seed) => {
    // All alerts are accepted in the same millisecond, and ids of deliveries begin with this time. The range of ids
    // that a job reads for one alert therefore contains the deliveries of all alerts, and the job must exclude the
    // others by the filter.
    const acceptedAtMs = Date.now() - 60_000;
    await seedMany(12, { acceptedAtMs });
    const wanted = await seedMany(1, { ...seed, acceptedAtMs });
    const whole: RedeliveryFilter = { status: 'failed', until: new Date().toISOString(), ...filter };
    const counted = { kind: 'redelivery' as const, workspaceId, filter: whole, max: 1_000, timeoutMs: 5_000 };
    expect(await countForJob(db.database, counted)).toBe(1);
    const id = await addJob(filter);
    await runToEnd(3);
    expect(await openIds()).toEqual(wanted);
    expect(await job(id)).toMatchObject({ status: 'done', done: 1 });
  },
);

test('a job with a filter by webhook leaves deliveries of other workspaces unchanged', async () => {
  await seedMany(3, { workspaceId: randomUUID(), webhookId });
  const id = await addJob({ webhook_id: webhookId });
  await runToEnd(10);
  expect(await openIds()).toEqual([]);
  expect(await job(id)).toMatchObject({ status: 'done', done: 0 });
});

test('a job redelivers only deliveries in its time range, and countForJob stops at its maximum', async () => {
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
    await countForJob(db.database, {
      kind: 'redelivery',
      workspaceId,
      filter: all,
      max: 1,
      timeoutMs: 5_000,
    }),
  ).toBe(1);
});

test('a job does not redeliver deliveries that failed after the job was created', async () => {
  const ids = await seedMany(3);
  const id = await addJob();
  const now = Date.now();
  const secondsAgo = (seconds: number) => new Date(now - seconds * 1_000);
  await db.database
    .knex('jobs')
    .where({ id })
    .update({ created_at: secondsAgo(30) });
  for (const [index, seconds] of [31, 29.999, 30].entries())
    await db.database
      .knex('deliveries')
      .where({ id: ids[index] })
      .update({ failed_at: secondsAgo(seconds) });
  await runToEnd(10);
  expect(await openIds()).toEqual([ids[0], ids[2]].sort());
});

test('a locked partition does not delay a page of a job that reads only other days', async () => {
  const longAgo = Date.now() - 40 * 86_400_000;
  await ensurePartitions(db.database, longAgo);
  const ids = await seedMany(10);
  const [old] = await seedMany(1, { acceptedAtMs: longAgo });
  await addJob();
  // The test uses a connection with generic plans (`plansByKey`), as workers do. A query with a generic plan would also
  // open the locked partition, so the page must use custom plans.
  const worker = createDatabase({ url: db.url, applicationName: 'worker', plansByKey: true, poolSize: 1 });
  const busy = await db.database.knex.transaction();
  const day = new Date(longAgo).toISOString().slice(0, 10).replaceAll('-', '');
  await busy.raw(`lock table deliveries_${day} in access exclusive mode`);
  const page = await runPage(10, worker);
  await busy.rollback();
  expect(page).toMatchObject({ done: 10, finished: false });
  expect(await openIds()).toEqual(ids.sort());
  expect(await runPage(10, worker)).toMatchObject({
    done: 1,
    finished: true,
  });
  expect(await openRow(old!)).toBeDefined();
  await worker.close();
});

test('a job repeats a page whose database connection was lost', async () => {
  const ids = await seedMany(20);
  const id = await addJob();
  const worker = createDatabase({ url: db.url, applicationName: 'doomed-worker', poolSize: 1 });
  expect(await runPage(5, worker)).toMatchObject({
    done: 5,
    finished: false,
  });
  // The second page of the job waits for a locked row. The test terminates the database connection during this wait.
  const holder = await db.database.knex.transaction();
  await holder('deliveries').whereIn('id', ids).select('id').forUpdate();
  const dying = expect(runPage(5, worker)).rejects.toThrow();
  await untilLockWaits(db.database, { applicationName: 'doomed-worker' });
  await db.database.knex.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'doomed-worker'`,
  );
  await dying;
  await worker.close();
  await holder.commit();
  expect(await job(id)).toMatchObject({ status: 'running', done: 5 });
  await runToEnd(5);
  expect(await job(id)).toMatchObject({ status: 'done', done: 20 });
  for (const delivery of ids) expect(await deliveryRow(delivery)).toMatchObject({ run: 2 });
});

test('concurrent jobs and single redeliveries reopen each delivery once', async () => {
  const ids = await seedMany(40);
  const jobs = [await addJob(), await addJob(), await addJob()];
  await Promise.all([
    runToEnd(7),
    runToEnd(5),
    runToEnd(3),
    ...ids.slice(0, 10).map((delivery) => redeliver(db.database, delivery)),
  ]);
  expect(await openIds()).toEqual([...ids].sort());
  for (const delivery of ids) expect(await deliveryRow(delivery)).toMatchObject({ run: 2 });
  for (const id of jobs) {
    while ((await job(id)).status === 'running') await runToEnd(50);
  }
});

test('a cancelled job redelivers no further deliveries', async () => {
  await seedMany(10);
  const id = await addJob();
  await runPage(4);
  await db.database.knex('jobs').where({ id }).update({ status: 'cancelled' });
  // Pages are run only while a job is running, so the test adds another job. No page may continue the cancelled job.
  await addJob({ status: 'skipped' });
  await runToEnd(4);
  expect(await openIds()).toHaveLength(4);
  expect(await job(id)).toMatchObject({ status: 'cancelled', done: 4 });
});

test('two running jobs are processed alternately, one page at a time', async () => {
  await seedMany(4);
  await seedMany(4, { status: 'skipped' });
  const [first, second] = [await addJob(), await addJob({ status: 'skipped' })];
  const pages = [await runPage(2), await runPage(2)];
  expect(pages.map((page) => page?.jobId).sort()).toEqual([first, second].sort());
});

test('a job whose page fails does not block other jobs', async () => {
  const [locked] = await seedMany(1);
  await seedMany(1, { status: 'skipped' });
  const [failing, other] = [await addJob(), await addJob({ status: 'skipped' })];
  const options = { url: db.url, applicationName: 'test', poolSize: 2, lockTimeoutMs: 50 };
  const worker = createDatabase(options);
  await db.database.knex.transaction(async (trx) => {
    await trx('deliveries').where({ id: locked }).select('id').forUpdate();
    await expect(runPage(5, worker)).rejects.toThrow(/lock timeout/);
    expect(await runPage(5, worker)).toMatchObject({
      jobId: other,
      finished: true,
    });
  });
  expect(await runPage(5, worker)).toMatchObject({
    jobId: failing,
    done: 1,
  });
  await worker.close();
});

test('a job leaves open deliveries unchanged', async () => {
  const [id] = await seedMany(1);
  await redeliver(db.database, id!);
  const before = await openRow(id!);
  const jobId = await addJob();
  await runToEnd(10);
  expect(await openRow(id!)).toEqual(before);
  expect(await job(jobId)).toMatchObject({ status: 'done', done: 0 });
});

const openRow = (id: string) => db.database.knex('open_deliveries').where({ delivery_id: id }).first();
const deliveryRow = (id: string) => db.database.knex('deliveries').where({ id }).first();

test.each([
  ['webhook', { perWebhook: 10, perWorkspace: 1_000 }],
  ['workspace', { perWebhook: 1_000, perWorkspace: 10 }],
])(
  'a job waits while more than half of the limit of its %s on open deliveries is used',
  async (_, limits) => {
    limitOpen(limits);
    await seedMany(20, { webhookId });
    const id = await addJob({ webhook_id: webhookId });
    const page = () => runPage(8);
    expect(await page()).toMatchObject({ done: 6, finished: false, mustWait: true });
    expect(await page()).toMatchObject({ done: 0, finished: false, mustWait: true });
    expect(await openIds()).toHaveLength(6);
    let redelivered = 6;
    while ((await job(id)).status === 'running') {
      await db.database.knex('open_deliveries').delete();
      // `limitOpen` discards the counts, so that the next page does not count the deleted rows.
      limitOpen(limits);
      redelivered += (await page())?.done ?? 0;
    }
    expect([redelivered, (await job(id)).done]).toEqual([20, 20]);
  },
);

test('a waiting job does not stop the jobs of other workspaces', async () => {
  limitOpen({ perWebhook: 10, perWorkspace: 10 });
  await seedMany(20, { webhookId });
  const pausedJob = await addJob({ webhook_id: webhookId });
  const [other, elsewhere] = [randomUUID(), randomUUID()];
  await seedMany(3, { workspaceId: elsewhere, webhookId: other });
  const running = await addJob({ webhook_id: other });
  await db.database.knex('jobs').where({ id: running }).update({ workspace_id: elsewhere });
  for (let pages = 0; pages < 4; pages += 1) await runPage(8);
  expect(await job(running)).toMatchObject({ status: 'done', done: 3 });
  expect(await job(pausedJob)).toMatchObject({ status: 'running', done: 6 });
});
