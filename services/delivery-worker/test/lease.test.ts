import { randomUUID } from 'node:crypto';
import { useTestDatabase } from '@tocsin/testing/database';
import { createDatabaseFixtures, type DatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
let fixtures: DatabaseFixtures;
beforeEach(async () => {
  fixtures = createDatabaseFixtures(db.database);
  await db.database.knex('workers').delete();
  await db.database.knex('open_deliveries').delete();
});

const claimedAtWrite = async () => {
  const planned = fixtures.plan([await fixtures.addWebhook()], { state: 'claimed' });
  await fixtures.write([planned]);
  return planned.deliveries[0]!.id;
};
const setLease = (workerId: string, sql: string) =>
  db.database
    .knex('workers')
    .where({ id: workerId })
    .update({ lease_until: db.database.knex.raw(sql) });
/** Queues two deliveries, the first one as if two seconds ago, and gives the worker a lease. */
const queueTwo = async () => {
  const [stranded, young] = [await fixtures.queueOne(), await fixtures.queueOne()];
  await db.database
    .knex('open_deliveries')
    .where({ delivery_id: stranded.deliveryId })
    .update({ lease_until: db.database.knex.raw(`lease_until - interval '2 seconds'`) });
  await fixtures.lease.renew(3_000);
  return { stranded, young };
};
const released = { state: 'waiting', claimed_by: null, claim_token: null, lease_until: null, claim: 1 };

test('when a lease has expired, the claims of its worker are released and its row is removed', async () => {
  const [atWrite, queued] = [await claimedAtWrite(), await fixtures.queueOne()];
  await fixtures.claimOne(queued);
  await fixtures.lease.renew(3_000);
  expect(await fixtures.releaseExpired()).toBe(0);
  expect(await fixtures.open(atWrite)).toMatchObject({ state: 'queued', claimed_by: fixtures.workerId });
  await setLease(fixtures.workerId, `now() - interval '1 millisecond'`);
  expect(await fixtures.releaseExpired()).toBe(2);
  for (const id of [atWrite, queued.deliveryId]) {
    const open = await fixtures.open(id);
    expect(open).toMatchObject(released);
    // After its first claim without an outcome, a delivery is due at once. Only further such claims add a random delay.
    expect(open.due_at.getTime()).toBeLessThanOrEqual(Date.now());
  }
  expect(await db.database.knex('workers').where({ id: fixtures.workerId })).toEqual([]);
});

test('claims are released after their worker has ended its lease', async () => {
  await fixtures.lease.renew(3_000);
  const other = fixtures.addWorker();
  await other.renew(3_000);
  const id = await claimedAtWrite();
  await fixtures.lease.end();
  expect(await fixtures.releaseExpired()).toBe(1);
  expect(await fixtures.open(id)).toMatchObject(released);
  expect((await other.renew(3_000)).wasHeld).toBe(true);
});

test("claims are released if the clock was set back and their worker's lease ends hours ahead", async () => {
  await fixtures.lease.renew(3_000);
  await claimedAtWrite();
  await setLease(fixtures.workerId, `now() + interval '3 hours'`);
  expect(await fixtures.addWorker().renew(3_000)).toMatchObject({ leads: true, workers: 1 });
  expect(await fixtures.releaseExpired()).toBe(1);
});

test('queued rows whose lease ends more than ten lease durations ahead are released', async () => {
  const [kept, lost] = [await fixtures.queueOne(), await fixtures.queueOne()];
  const leaseIn = (id: string, minutes: number) =>
    db.database
      .knex('open_deliveries')
      .where({ delivery_id: id })
      .update({ lease_until: db.database.knex.raw(`now() + make_interval(mins => ${minutes})`) });
  // A lease that ends more than ten lease durations ahead was written before the database's clock was set back. In the
  // fixtures, the lease of a queued row lasts one minute, so ten lease durations are ten minutes.
  await leaseIn(kept.deliveryId, 9);
  await leaseIn(lost.deliveryId, 11);
  expect(await fixtures.releaseExpired()).toBe(1);
  expect(await fixtures.open(lost.deliveryId)).toMatchObject({ state: 'waiting', waiting_reason: 'backlog' });
  expect(await fixtures.open(kept.deliveryId)).toMatchObject({ state: 'queued' });
});

test('a renewal returns whether the lease had expired before it', async () => {
  const { lease, workerId } = fixtures;
  expect((await lease.renew(3_000)).wasHeld).toBe(false);
  expect((await lease.renew(3_000)).wasHeld).toBe(true);
  await setLease(workerId, `now() - interval '1 millisecond'`);
  expect((await lease.renew(3_000)).wasHeld).toBe(false);
  expect((await lease.renew(3_000)).wasHeld).toBe(true);
  await lease.end();
  expect((await lease.renew(3_000)).wasHeld).toBe(false);
});

test('queued rows that a dead worker may not have published are released when its lease expires', async () => {
  const { stranded, young } = await queueTwo();
  expect(await fixtures.releaseExpired()).toBe(0);
  await setLease(fixtures.workerId, 'now()');
  expect(await fixtures.releaseExpired()).toBe(1);
  expect(await fixtures.open(stranded.deliveryId)).toMatchObject({ state: 'waiting', lease_until: null });
  expect(await fixtures.open(young.deliveryId)).toMatchObject({ state: 'queued' });
});

test('a released delivery keeps its due time after a first crash, and is delayed after a second', async () => {
  const [first, second] = [await claimedAtWrite(), await claimedAtWrite()];
  const open = () => db.database.knex('open_deliveries');
  await open().update({ due_at: db.database.knex.raw(`now() - interval '1 minute'`) });
  await open().where({ delivery_id: second }).update({ claims_without_outcome: 2 });
  const releasedAt = new Date();
  expect(await fixtures.releaseExpired()).toBe(2);
  expect((await fixtures.open(first))?.due_at.getTime()).toBeLessThan(releasedAt.getTime() - 50_000);
  const dueAtMs = (await fixtures.open(second))?.due_at.getTime();
  expect(dueAtMs).toBeGreaterThan(releasedAt.getTime());
  expect(dueAtMs).toBeLessThan(Date.now() + 5_000);
});

test('the delay of a released delivery grows with its number of claims without an outcome', async () => {
  const webhookIds = await Promise.all(Array.from({ length: 50 }, () => fixtures.addWebhook()));
  await fixtures.write([fixtures.plan(webhookIds, { state: 'claimed' })]);
  const open = () => db.database.knex('open_deliveries');
  await open().update({ claims_without_outcome: 8 });
  const releasedAtMs = Date.now();
  expect(await fixtures.releaseExpired()).toBe(50);
  const dueAt: Date[] = await open().pluck('due_at');
  // The delays are random, from 0 to 7 * 5 s. The longest of 50 is below 15 s with a probability of 4e-19.
  const lastMs = Math.max(...dueAt.map((due) => due.getTime()));
  expect(lastMs).toBeGreaterThan(releasedAtMs + 15_000);
  expect(lastMs).toBeLessThan(Date.now() + 35_000);
});

test('after a lost reply, queued rows are released when they are older than a second', async () => {
  const { stranded, young } = await queueTwo();
  const releaseBy = new Date(Date.now() + 60_000);
  const release = (unpublished: boolean) =>
    fixtures.lease.releaseExpired({ inFlight: [], releaseBy, unpublished });
  expect(await release(false)).toBe(0);
  expect(await release(true)).toBe(1);
  expect(await fixtures.open(stranded.deliveryId)).toMatchObject({ state: 'waiting', lease_until: null });
  expect(await fixtures.open(young.deliveryId)).toMatchObject({ state: 'queued' });
});

test('a claim of a statement with a lost reply is released at once, and other own claims are not', async () => {
  const webhook_id = await fixtures.addWebhook();
  const limit = { webhook_id, requests: 10, period_ms: 1_000 };
  await db.database.knex('webhook_rate_limits').insert(limit);
  const planned = fixtures.plan([webhook_id]);
  await fixtures.write([planned]);
  const other = await claimedAtWrite();
  const token = randomUUID();
  const wanted = { workspaceId: fixtures.workspaceId, webhookId: webhook_id, places: 1 };
  const [claimed] = await fixtures.claimLimited([wanted], { token });
  const { releaseBy } = await fixtures.lease.renew(60_000);
  const options = { inFlight: [], releaseBy, unpublished: true };
  expect(await fixtures.lease.releaseExpired(options)).toBe(0);
  expect(await fixtures.lease.releaseExpired({ ...options, lostClaims: [token] })).toBe(1);
  expect(await fixtures.open(claimed!.deliveryId)).toMatchObject(released);
  expect(await fixtures.open(other)).toMatchObject({ state: 'queued', claimed_by: fixtures.workerId });
});

test('a release statement that reaches the database late changes nothing', async () => {
  await fixtures.lease.renew(3_000);
  const id = await claimedAtWrite();
  const sweeper = fixtures.addWorker();
  const { releaseBy } = await sweeper.renew(3_000);
  const inFlight: string[] = [];
  const late = new Date(releaseBy.getTime() - 1_001);
  await setLease(fixtures.workerId, 'now()');
  expect(await sweeper.releaseExpired({ inFlight, releaseBy: late })).toBe(0);
  expect(await fixtures.open(id)).toMatchObject({ claimed_by: fixtures.workerId });
  expect(await db.database.knex('workers').where({ id: fixtures.workerId })).toHaveLength(1);
  expect(await sweeper.releaseExpired({ inFlight, releaseBy })).toBe(1);
});

test('a worker releases those of its old claims that it is no longer processing', async () => {
  const { lease } = fixtures;
  const [working, lost, young] = [await claimedAtWrite(), await claimedAtWrite(), await claimedAtWrite()];
  await db.database
    .knex('open_deliveries')
    .whereIn('delivery_id', [working, lost])
    .update({ lease_until: new Date(0) });
  const { releaseBy } = await lease.renew(3_000);
  expect(await lease.releaseExpired({ inFlight: [working], releaseBy })).toBe(1);
  expect(await fixtures.open(lost)).toMatchObject(released);
  for (const id of [working, young])
    expect(await fixtures.open(id)).toMatchObject({ state: 'queued', claimed_by: fixtures.workerId });
});

test('a claim is a heap-only (HOT) update and changes no index', async () => {
  const updates = async () => {
    await db.database.knex.raw('select pg_stat_force_next_flush()');
    const { rows } = await db.database.knex.raw(
      `select n_tup_upd::integer as all, n_tup_hot_upd::integer as hot from pg_stat_user_tables
       where relname = 'open_deliveries'`,
    );
    return rows[0];
  };
  const dues = [await fixtures.queueOne(), await fixtures.queueOne()];
  const before = await updates();
  for (const due of dues) await fixtures.claimOne(due);
  const after = await updates();
  expect([after.all - before.all, after.hot - before.hot]).toEqual([2, 2]);
});

test('the oldest worker that may dispatch is the leader, or the oldest of all if none may', async () => {
  const [first, second] = [fixtures.lease, fixtures.addWorker()];
  const leads = async (lease: typeof first, mayLead: boolean) => (await lease.renew(3_000, mayLead)).leads;
  expect(await leads(first, false)).toBe(true);
  expect(await first.renew(3_000, true)).toMatchObject({ leads: true, workers: 1 });
  expect(await second.renew(3_000, true)).toMatchObject({ leads: false, workers: 2 });
  expect(await leads(first, false)).toBe(false);
  expect(await leads(second, true)).toBe(true);
  expect(await leads(second, false)).toBe(false);
  expect(await leads(first, false)).toBe(true);
});

test('a worker becomes the leader when the lease of the older leader has expired or ended', async () => {
  const [first, second] = [fixtures.lease, fixtures.addWorker()];
  await first.renew(3_000, true);
  expect((await second.renew(3_000, true)).leads).toBe(false);
  await setLease(fixtures.workerId, `now() - interval '1 millisecond'`);
  expect(await second.renew(3_000, true)).toMatchObject({ leads: true, workers: 1 });
  await first.renew(3_000, true);
  expect((await second.renew(3_000, true)).leads).toBe(false);
  await first.end();
  expect((await second.renew(3_000, true)).leads).toBe(true);
});
