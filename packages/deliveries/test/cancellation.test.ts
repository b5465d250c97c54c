import { randomUUID } from 'node:crypto';
import { cancelDelivery, countForJob, redeliver } from '@tocsin/deliveries';
import { until } from '@tocsin/testing';
import { type DeliveryFixture, insertDelivery, insertWorker } from '@tocsin/testing/database';
import { useJobs } from './support/jobs.js';

const { db, workspaceId, addJob, job, runPage, runToEnd } = useJobs({
  kind: 'cancellation',
  filter: {},
  createdInMs: 1_000,
});
const webhookId = randomUUID();

async function seed(count: number, fixture: DeliveryFixture = {}): Promise<string[]> {
  const deliveries = Array.from({ length: count }, (_, index) =>
    insertDelivery(db.database, {
      workspaceId,
      status: 'open',
      acceptedAtMs: Date.now() - 60_000 - index,
      ...fixture,
    }),
  );
  return Promise.all(deliveries);
}

const delivery = (id: string) => db.database.knex('deliveries').where({ id }).first();
const openIds = async () => new Set(await db.database.knex('open_deliveries').pluck('delivery_id'));
const cancelled = async () =>
  new Set(await db.database.knex('deliveries').where({ error_code: 'cancelled' }).pluck('id'));
const page = () => runPage(3);

const sending = async (leaseMs: number) => ({
  state: 'queued',
  claimed_by: await insertWorker(db.database, { leaseMs }),
  claim: 4,
});

test.each([
  ['waiting', { state: 'waiting' }],
  ['queued', { state: 'queued', lease_until: new Date() }],
])('cancelling a %s delivery ends it as skipped, and it can be redelivered later', async (_, open) => {
  const [id] = await seed(1, { open: { ...open, claim: 3 } });
  expect(await cancelDelivery(db.database, id!)).toBe('cancelled');
  expect(await delivery(id!)).toMatchObject({
    status: 'skipped',
    error_code: 'cancelled',
    error: 'The delivery was cancelled by hand.',
    claims: 3,
  });
  expect(await openIds()).toEqual(new Set());
  expect(await cancelDelivery(db.database, id!)).toBe('ended');
  expect(await redeliver(db.database, id!)).toBe('reopened');
  const [row] = await db.database.knex('open_deliveries');
  expect(row).toMatchObject({ run: 2, claim: 3 });
});

test('a delivery is cancelled only if no live worker is sending it', async () => {
  const [alive] = await seed(1, { open: await sending(60_000) });
  const [dead] = await seed(1, { open: await sending(-1) });
  expect(await cancelDelivery(db.database, alive!)).toBe('sending');
  expect(await delivery(alive!)).toMatchObject({ status: 'open', error_code: null });
  expect(await cancelDelivery(db.database, dead!)).toBe('cancelled');
});

test('a delivery that is claimed while its cancellation waits for the row is not cancelled', async () => {
  const [id] = await seed(1, { open: { state: 'queued' } });
  const claim = await sending(60_000);
  let outcome: Promise<string> | undefined;
  await db.database.knex.transaction(async (trx) => {
    await trx('open_deliveries').where({ delivery_id: id }).update(claim);
    outcome = cancelDelivery(db.database, id!);
    await until('the cancellation waits for the row', isWaitingForLock);
  });
  expect(await outcome).toBe('sending');
  expect(await delivery(id!)).toMatchObject({ status: 'open', error_code: null });
});

async function isWaitingForLock(): Promise<boolean> {
  const { rows } = await db.database.knex.raw(
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows.length > 0;
}

test('twenty concurrent calls cancel a delivery once', async () => {
  const [id] = await seed(1);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => cancelDelivery(db.database, id!)));
  expect(outcomes.filter((outcome) => outcome === 'cancelled')).toHaveLength(1);
  expect(new Set(outcomes)).toEqual(new Set(['cancelled', 'ended']));
});

test('a job cancels all open deliveries of its workspace and no other delivery', async () => {
  const ids = await seed(25);
  const ended = await seed(3, { status: 'succeeded' });
  const others = await seed(40, { workspaceId: randomUUID() });
  const id = await addJob();
  await runToEnd(3);
  expect(await job(id)).toMatchObject({ status: 'done', done: 25 });
  expect(await cancelled()).toEqual(new Set(ids));
  expect(await openIds()).toEqual(new Set(others));
  expect(await delivery(ended[0]!)).toMatchObject({ status: 'succeeded' });
});

test.each([
  ['webhook', { webhook_id: webhookId }, { webhookId }],
  ['alert', { alert_id: webhookId }, { alertId: webhookId }],
  ['alert rule', { alert_rule_id: webhookId }, { alertRuleId: webhookId }],
] as const)(
  'a job with a filter by %s cancels the same deliveries that countForJob has counted',
  async (_, filter, fixture) => {
    // All alerts are accepted in the same millisecond, and ids of deliveries begin with this time. The range of ids
    // that a job reads for one alert therefore contains the deliveries of all alerts, and the job must exclude the
    // others by the filter.
    const acceptedAtMs = Date.now() - 60_000;
    const others = await seed(12, { acceptedAtMs });
    const ids = await seed(1, { ...fixture, acceptedAtMs });
    const whole = { until: new Date().toISOString(), ...filter };
    const counted = { kind: 'cancellation' as const, workspaceId, filter: whole, max: 100, timeoutMs: 5_000 };
    expect(await countForJob(db.database, counted)).toBe(1);
    await addJob(filter);
    await runToEnd(3);
    expect(await cancelled()).toEqual(new Set(ids));
    expect(await openIds()).toEqual(new Set(others));
  },
);

test.each([
  ['last', 60_500],
  ['first', 59_500],
])(
  'a delivery that is being sent during the %s page of a job is cancelled when it waits again',
  async (_, msAgo) => {
    const [busy] = await seed(1, { acceptedAtMs: Date.now() - msAgo, open: await sending(60_000) });
    const ids = await seed(12);
    const late = new Date(Date.now() + 60_000);
    const [reopened] = await seed(1, { acceptedAtMs: Date.now() - 59_000, open: { opened_at: late } });
    const id = await addJob();
    let pages = 0;
    while ((await cancelled()).size < ids.length && pages < 50) {
      await page();
      pages += 1;
    }
    expect(await cancelled()).toEqual(new Set(ids));
    for (let more = 0; more < 5; more += 1) await page();
    expect(await job(id)).toMatchObject({ status: 'running', done: ids.length });
    await db.database
      .knex('open_deliveries')
      .where({ delivery_id: busy })
      .update({ state: 'waiting', claimed_by: null });
    await runToEnd(3);
    expect(await job(id)).toMatchObject({ status: 'done', done: ids.length + 1 });
    expect(await openIds()).toEqual(new Set([reopened]));
  },
);

test('a job does not cancel deliveries that were opened after the job was accepted', async () => {
  const now = Date.now();
  const secondsAgo = (seconds: number) => new Date(now - seconds * 1_000);
  const earlier = await seed(1, { open: { opened_at: secondsAgo(31) } });
  earlier.push(...(await seed(1, { acceptedAtMs: now - 70_000, open: { opened_at: secondsAgo(30) } })));
  const reopened = await seed(1, {
    acceptedAtMs: now - 80_000,
    open: { opened_at: secondsAgo(29.999) },
  });
  const id = await addJob();
  await db.database
    .knex('jobs')
    .where({ id })
    .update({ created_at: secondsAgo(30) });
  await runToEnd(3);
  expect(await cancelled()).toEqual(new Set(earlier));
  expect(await openIds()).toEqual(new Set(reopened));
});

test('two concurrent jobs on one workspace cancel each delivery once', async () => {
  await seed(40);
  const jobs = [await addJob(), await addJob()];
  await Promise.all([runToEnd(3), runToEnd(3)]);
  const done = await Promise.all(jobs.map(async (id) => (await job(id)).done));
  expect(done[0] + done[1]).toBe(40);
  expect(await openIds()).toEqual(new Set());
});
