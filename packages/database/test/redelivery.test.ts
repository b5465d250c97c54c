import { randomUUID } from 'node:crypto';
import { redeliver } from '@tocsin/database';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { deliveryRow, openRow, seedEnded } from './support/seed.js';

const workspaceId = randomUUID();

let test_: TestDatabase;
beforeAll(async () => {
  test_ = await createTestDatabase();
});
afterAll(() => test_.drop());

describe('redelivering one delivery', () => {
  it.each(['failed', 'skipped', 'succeeded'] as const)(
    'that has %s opens a new run with a fresh schedule, claims going on',
    async (status) => {
      const { database } = test_;
      const id = await seedEnded(database, { workspaceId, status, claims: 7 });
      expect(await redeliver(database, id)).toBe('reopened');
      expect(await deliveryRow(database, id)).toMatchObject({
        status: 'open',
        run: 2,
        failed_at: null,
        attempts_made: 7,
      });
      const open = await openRow(database, id);
      expect(open).toMatchObject({
        state: 'waiting',
        run: 2,
        step: 0,
        manual: true,
        claim: 7,
        claimed: false,
      });
      expect(open.due_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    },
  );

  it('that waits brings its next attempt forward and keeps its place in the schedule', async () => {
    const { database } = test_;
    const id = await reopened({ step: 4, due_at: new Date(Date.now() + 3_600_000), manual: false });
    expect(await redeliver(database, id)).toBe('brought_forward');
    const open = await openRow(database, id);
    expect(open).toMatchObject({ state: 'waiting', run: 2, step: 4, manual: true });
    expect(open.due_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('that is queued, or whose owner has died, leaves it on its way', async () => {
    const { database } = test_;
    const queued = await reopened({ state: 'queued', lease_until: new Date(Date.now() + 60_000) });
    const stranded = await reopened({
      state: 'queued',
      claimed: true,
      lease_until: new Date(Date.now() - 60_000),
    });
    for (const id of [queued, stranded]) {
      const before = await openRow(database, id);
      expect(await redeliver(database, id)).toBe('under_way');
      expect(await openRow(database, id)).toEqual(before);
    }
  });

  it('that is being sent is refused and changes nothing', async () => {
    const { database } = test_;
    const id = await reopened({ state: 'queued', claimed: true, lease_until: new Date(Date.now() + 60_000) });
    const before = [await openRow(database, id), await deliveryRow(database, id)];
    expect(await redeliver(database, id)).toBe('sending');
    expect([await openRow(database, id), await deliveryRow(database, id)]).toEqual(before);
  });

  it('that does not exist says so', async () => {
    expect(await redeliver(test_.database, randomUUID())).toBe('not_found');
  });

  it('twenty times at once opens one run', async () => {
    const { database } = test_;
    const id = await seedEnded(database, { workspaceId });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => redeliver(database, id)));
    expect(outcomes.filter((outcome) => outcome === 'reopened')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'brought_forward')).toHaveLength(19);
    expect(await deliveryRow(database, id)).toMatchObject({ status: 'open', run: 2 });
  });

  it('while its outcome is being recorded waits for the record, and then reopens it', async () => {
    const { database } = test_;
    const id = await reopened({ state: 'queued', claimed: true, lease_until: new Date(Date.now() + 60_000) });
    const recording = await database.knex.transaction();
    await recording('open_deliveries').where({ delivery_id: id }).delete();
    await recording('deliveries').where({ id }).update({ status: 'failed', failed_at: new Date() });
    const asked = redeliver(database, id);
    await someoneWaits();
    await recording.commit();
    expect(await asked).toBe('reopened');
    expect(await deliveryRow(database, id)).toMatchObject({ status: 'open', run: 3, failed_at: null });
    expect(await openRow(database, id)).toMatchObject({ run: 3, state: 'waiting' });
  });

  it('that another caller reopens meanwhile does not stand in the way of the worker that records it', async () => {
    const { database } = test_;
    const id = await reopened({ claims_without_outcome: 1 });
    const open = await openRow(database, id);
    await database.knex('open_deliveries').where({ delivery_id: id }).delete();
    await database.knex('deliveries').where({ id }).update({ status: 'failed' });
    const other = await database.knex.transaction();
    await other('deliveries').where({ id }).update({ status: 'open', run: 3 });
    const asked = redeliver(database, id);
    await someoneWaits('from deliveries');
    await database.knex('open_deliveries').insert({ ...open, run: 3 });
    const worker = await database.knex.transaction();
    await worker('open_deliveries').where({ delivery_id: id }).update({ claims_without_outcome: 0 });
    await other.commit();
    await someoneWaits('from open_deliveries');
    await worker('deliveries').where({ id }).update({ status_code: 503 });
    await worker.commit();
    expect(await asked).toBe('brought_forward');
  });
});

/** A delivery in its second run, its open row changed as given. */
async function reopened(changes: object): Promise<string> {
  const { database } = test_;
  const id = await seedEnded(database, { workspaceId });
  await redeliver(database, id);
  await database.knex('open_deliveries').where({ delivery_id: id }).update(changes);
  return id;
}

/** Until a session of this database waits for another's lock, in a statement with these words. */
async function someoneWaits(words = ''): Promise<void> {
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and position(:words in query) > 0`;
  while ((await test_.database.knex.raw(waiting, { words })).rows.length === 0);
}
