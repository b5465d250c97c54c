import { untilLockWaits, useTestDatabase } from '@tocsin/testing/database';
import type { Pause } from '../src/delivery/pause-repository.js';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db, { each: 'file' });

const hourMs = 3_600_000;
const inMs = (ms: number) => new Date(Date.now() + ms);
const rowOf = (webhookId: string) =>
  db.database.knex('webhook_pauses').where({ webhook_id: webhookId }).first();
const circuit = (webhookId: string): Pause => ({
  webhookId,
  version: 1,
  reason: 'circuit',
  forMs: 2 * hourMs,
  times: 1,
  error: 'e',
});

async function pauseByHand(until: Date): Promise<string> {
  const id = await fixtures.addWebhook();
  const row = { webhook_id: id, reason: 'manual', paused_until: until, times: 0 };
  await db.database.knex('webhook_pauses').insert(row);
  return id;
}

test('an outcome neither changes nor ends a manual pause', async () => {
  const id = await pauseByHand(inMs(hourMs));
  const before = await rowOf(id);
  await fixtures.pauses.pause([circuit(id)]);
  await fixtures.pauses.resume(id);
  expect(await rowOf(id)).toEqual(before);
});

test('an outcome can replace or remove a manual pause once the pause is over', async () => {
  const [replaced, ended] = [await pauseByHand(inMs(-1_000)), await pauseByHand(inMs(-1_000))];
  await fixtures.pauses.pause([circuit(replaced)]);
  expect(await rowOf(replaced)).toMatchObject({ reason: 'circuit', times: 1, error: 'e' });
  await fixtures.pauses.resume(ended);
  expect(await rowOf(ended)).toBeUndefined();
});

describe('deliveries that wait for the end of a pause', () => {
  /**
   * Pauses a webhook and adds a delivery that waits for the end of the pause. Returns a query for the row of the pause,
   * and a function that checks if the delivery is due.
   */
  async function pauseWithDelivery(open: object = {}) {
    const webhookId = await fixtures.addWebhook();
    await fixtures.pauses.pause([circuit(webhookId)]);
    const planned = fixtures.plan([webhookId]);
    await fixtures.write([planned]);
    const id = planned.deliveries[0]!.id;
    const row = { waiting_reason: 'paused', due_at: inMs(hourMs), ...open };
    await db.database.knex('open_deliveries').where({ delivery_id: id }).update(row);
    const isDue = async () => (await fixtures.open(id)).due_at.getTime() <= Date.now() + 1_000;
    const pauseRow = db.database.knex('webhook_pauses').where({ webhook_id: webhookId });
    return { isDue, pauseRow };
  }

  test('a waiting delivery becomes due when the pause is removed or shortened, not when extended', async () => {
    const [removed, shortened, extended, other] = [
      await pauseWithDelivery(),
      await pauseWithDelivery(),
      await pauseWithDelivery(),
      await pauseWithDelivery(),
    ];
    await removed.pauseRow.clone().delete();
    await shortened.pauseRow.clone().update({ paused_until: inMs(1_000) });
    await extended.pauseRow.clone().update({ paused_until: inMs(3 * hourMs) });
    const due = await Promise.all([removed, shortened, extended, other].map(({ isDue }) => isDue()));
    expect(due).toEqual([true, true, false, false]);
  });

  test('a delivery that waits for its retry keeps its due time when a pause ends', async () => {
    const retry = await pauseWithDelivery({ waiting_reason: 'retry' });
    await retry.pauseRow.clone().delete();
    expect(await retry.isDue()).toBe(false);
  });
});

describe('a pause that an outcome starts', () => {
  const pause = (webhookId: string, changes: Partial<Pause> = {}) =>
    fixtures.pauses.pause([
      { webhookId, version: 1, reason: 'circuit', forMs: 60_000, times: 1, error: 'a', ...changes },
    ]);

  test.each([
    ['deleted', (id: string) => db.database.knex('webhooks').where({ id }).delete()],
    ['changed', (id: string) => db.database.knex('webhooks').where({ id }).update({ version: 2 })],
    ['disabled', (id: string) => db.database.knex('webhooks').where({ id }).update({ enabled: false })],
  ])('a webhook that was %s since its request is not paused', async (_, change) => {
    const [changed, other] = [await fixtures.addWebhook(), await fixtures.addWebhook()];
    await change(changed);
    await fixtures.pauses.pause(
      [changed, other].map((webhookId) => ({
        webhookId,
        version: 1,
        reason: 'retry_after',
        forMs: 1_000,
        times: 1,
        error: '',
      })),
    );
    expect(await rowOf(changed)).toBeUndefined();
    expect(await rowOf(other)).toMatchObject({ reason: 'retry_after', times: 1 });
  });

  test.each([
    ['deleted', 'delete from webhooks'],
    ['disabled', 'update webhooks set enabled = false'],
  ])('a webhook that is %s in a transaction at that time is not paused', async (_, change) => {
    const webhookId = await fixtures.addWebhook();
    const trx = await db.database.knex.transaction();
    await trx.raw(`${change} where id = ?`, [webhookId]);
    const pausing = pause(webhookId);
    await untilLockWaits(db.database);
    await trx.commit();
    await pausing;
    expect(await rowOf(webhookId)).toBeUndefined();
  });

  test('a shorter pause does not change an existing pause, and a longer one replaces it', async () => {
    const webhookId = await fixtures.addWebhook();
    await pause(webhookId);
    const { paused_until } = await rowOf(webhookId);
    expect(Math.abs(paused_until.getTime() - Date.now() - 60_000)).toBeLessThan(30_000);
    await pause(webhookId, { reason: 'retry_after', forMs: 1_000, error: 'b', times: 2 });
    expect(await rowOf(webhookId)).toMatchObject({ reason: 'circuit', paused_until, error: 'a', times: 1 });
    await pause(webhookId, { reason: 'retry_after', forMs: 600_000, error: 'b', times: 2 });
    const replaced = await rowOf(webhookId);
    expect(replaced).toMatchObject({ reason: 'retry_after', error: 'b', times: 2 });
    expect(replaced.paused_until.getTime()).toBeGreaterThan(paused_until.getTime());
  });

  test('a success ends the pause of an open circuit, and Retry-After only once its time is over', async () => {
    const [open, requested, over] = [
      await fixtures.addWebhook(),
      await fixtures.addWebhook(),
      await fixtures.addWebhook(),
    ];
    await pause(open);
    await pause(requested, { reason: 'retry_after' });
    await pause(over, { reason: 'retry_after', forMs: -1_000 });
    for (const webhookId of [open, requested, over]) await fixtures.pauses.resume(webhookId);
    expect(await rowOf(open)).toBeUndefined();
    expect(await rowOf(requested)).toMatchObject({ reason: 'retry_after' });
    expect(await rowOf(over)).toBeUndefined();
  });

  test('ending the pause of one webhook leaves pauses of other webhooks unchanged', async () => {
    const [webhookId, other] = [await fixtures.addWebhook(), await fixtures.addWebhook()];
    await Promise.all([pause(webhookId), pause(other)]);
    await fixtures.pauses.resume(webhookId);
    expect(await rowOf(webhookId)).toBeUndefined();
    expect(await rowOf(other)).toBeDefined();
  });
});
