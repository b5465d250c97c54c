import { randomUUID } from 'node:crypto';
import { redeliver } from '@tocsin/deliveries';
import { insertDelivery, insertWorker, untilLockWaits, useTestDatabase } from '@tocsin/testing/database';

const workspaceId = randomUUID();

const db = useTestDatabase();

describe('redelivery of one delivery', () => {
  test.each(['failed', 'skipped', 'succeeded'] as const)(
    'redelivering a %s delivery starts a new run and retry schedule, and keeps the claim number',
    async (status) => {
      const { database } = db;
      const id = await insertDelivery(database, { workspaceId, status, claims: 7 });
      expect(await redeliver(database, id)).toBe('reopened');
      expect(await deliveryRow(id)).toMatchObject({
        status: 'open',
        run: 2,
        failed_at: null,
        attempts_made: 7,
      });
      const open = await openRow(id);
      expect(open).toMatchObject({
        state: 'waiting',
        run: 2,
        step: 0,
        manual: true,
        claim: 7,
        claimed_by: null,
      });
      expect(open.due_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
      expect(Math.abs(open.opened_at.getTime() - Date.now())).toBeLessThan(30_000);
    },
  );

  test('a redelivered waiting delivery is due at once, and its retry schedule is not restarted', async () => {
    const { database } = db;
    const id = await reopened({ step: 4, due_at: new Date(Date.now() + 3_600_000), manual: false });
    expect(await redeliver(database, id)).toBe('brought_forward');
    const open = await openRow(id);
    expect(open).toMatchObject({ state: 'waiting', run: 2, step: 4, manual: true });
    expect(open.due_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test('redelivering a waiting delivery that is due already keeps its due time', async () => {
    const dueAt = new Date(Date.now() - 60_000);
    const id = await reopened({ due_at: dueAt, manual: false });
    expect(await redeliver(db.database, id)).toBe('brought_forward');
    expect(await openRow(id)).toMatchObject({ due_at: dueAt, manual: true });
  });

  test('onChange runs once in the transaction of each redelivery that changes a delivery', async () => {
    const { database } = db;
    const reports: string[] = [];
    const report = (name: string, id: string) =>
      redeliver(database, id, async (trx) => {
        await trx.raw('select 1');
        reports.push(name);
      });
    await report('ended', await insertDelivery(database, { workspaceId }));
    await report('waiting', await reopened({ due_at: new Date(Date.now() + 3_600_000) }));
    await report('queued', await reopened({ state: 'queued', lease_until: new Date(Date.now() + 60_000) }));
    await report('unknown', randomUUID());
    expect(reports).toEqual(['ended', 'waiting']);
  });

  test('a redelivery changes neither a queued delivery nor one whose worker has an expired lease', async () => {
    const { database } = db;
    const queued = await reopened({ state: 'queued', lease_until: new Date(Date.now() + 60_000) });
    const stranded = await reopened({
      state: 'queued',
      claimed_by: await insertWorker(database, { leaseMs: -1_000 }),
    });
    for (const id of [queued, stranded]) {
      const before = await openRow(id);
      expect(await redeliver(database, id)).toBe('queued');
      expect(await openRow(id)).toEqual(before);
    }
  });

  test('a redelivery does not change a delivery that is being sent', async () => {
    const { database } = db;
    const id = await reopened({ state: 'queued', claimed_by: await insertWorker(database) });
    const before = [await openRow(id), await deliveryRow(id)];
    expect(await redeliver(database, id)).toBe('sending');
    expect([await openRow(id), await deliveryRow(id)]).toEqual(before);
  });

  test('redelivering an unknown delivery returns not_found', async () => {
    expect(await redeliver(db.database, randomUUID())).toBe('not_found');
  });

  test('twenty concurrent redeliveries of a delivery start one new run', async () => {
    const { database } = db;
    const id = await insertDelivery(database, { workspaceId });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => redeliver(database, id)));
    expect(outcomes.filter((outcome) => outcome === 'reopened')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'brought_forward')).toHaveLength(19);
    expect(await deliveryRow(id)).toMatchObject({ status: 'open', run: 2 });
  });

  test('a redelivery waits while an outcome is being recorded, and then reopens the delivery', async () => {
    const { database } = db;
    const id = await reopened({ state: 'queued', claimed_by: await insertWorker(database) });
    const recording = await database.knex.transaction();
    await recording('open_deliveries').where({ delivery_id: id }).delete();
    await recording('deliveries').where({ id }).update({ status: 'failed', failed_at: new Date() });
    const redelivering = redeliver(database, id);
    await untilLockWaits(db.database);
    await recording.commit();
    expect(await redelivering).toBe('reopened');
    expect(await deliveryRow(id)).toMatchObject({ status: 'open', run: 3, failed_at: null });
    expect(await openRow(id)).toMatchObject({ run: 3, state: 'waiting' });
  });

  test('a redelivery that waits for another redelivery does not deadlock with a recording worker', async () => {
    const { database } = db;
    const id = await reopened({ claims_without_outcome: 1 });
    const open = await openRow(id);
    await database.knex('open_deliveries').where({ delivery_id: id }).delete();
    await database.knex('deliveries').where({ id }).update({ status: 'failed' });
    const other = await database.knex.transaction();
    await other('deliveries').where({ id }).update({ status: 'open', run: 3 });
    const redelivering = redeliver(database, id);
    await untilLockWaits(db.database, { statement: 'from deliveries' });
    await database.knex('open_deliveries').insert({ ...open, run: 3 });
    const worker = await database.knex.transaction();
    await worker('open_deliveries').where({ delivery_id: id }).update({ claims_without_outcome: 0 });
    await other.commit();
    await untilLockWaits(db.database, { statement: 'from open_deliveries' });
    await worker('deliveries').where({ id }).update({ status_code: 503 });
    await worker.commit();
    expect(await redelivering).toBe('brought_forward');
  });
});

/** Creates a delivery in its second run, and applies `changes` to its row in `open_deliveries`. */
async function reopened(changes: object): Promise<string> {
  const { database } = db;
  const id = await insertDelivery(database, { workspaceId });
  await redeliver(database, id);
  await database.knex('open_deliveries').where({ delivery_id: id }).update(changes);
  return id;
}

const openRow = (id: string) => db.database.knex('open_deliveries').where({ delivery_id: id }).first();
const deliveryRow = (id: string) => db.database.knex('deliveries').where({ id }).first();
