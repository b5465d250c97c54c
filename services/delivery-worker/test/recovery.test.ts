import { randomUUID } from 'node:crypto';
import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ each: 'test', queuedLeaseMs: 800 });

test('a queued delivery whose message was lost is released and delivered', async () => {
  const target = await harness.addTarget();
  // The row is queued without a message, as after a crash between the commit and the publication.
  await harness.write([harness.plan([target.id], { state: 'queued' })]);
  await harness.database.knex('open_deliveries').update({ lease_until: new Date(Date.now() + 500) });
  await harness.startWorker();
  await harness.ended(1);
  expect(harness.destination.at(target.path)).toHaveLength(1);
});

test('a delivery claimed by a dead worker is sent by another after the lease has expired', async () => {
  const target = await harness.addTarget();
  const planned = harness.plan([target.id], { state: 'queued' });
  await harness.write([planned]);
  const deliveryId = planned.deliveries[0]!.id;
  await harness.claims.claim([{ deliveryId, run: 1 }], randomUUID());
  await harness.lease.renew(500);
  await harness.startWorker();
  const [row] = await harness.ended(1);
  expect(row).toMatchObject({ status: 'succeeded', attempts_made: 1 });
});

test('deliveries are sent even if their leases end hours ahead because the clock was set back', async () => {
  const target = await harness.addTarget();
  await harness.write([
    harness.plan([target.id], { state: 'queued' }),
    harness.plan([target.id], { state: 'claimed' }),
  ]);
  await harness.lease.renew(3 * 3_600_000);
  await harness.database
    .knex('open_deliveries')
    .update({ lease_until: harness.database.knex.raw(`lease_until + interval '3 hours'`) });
  await harness.startWorker();
  await harness.ended(2);
  expect(harness.destination.at(target.path)).toHaveLength(2);
});

test('a delivery claimed eight times without an outcome fails unsent, and others are sent', async () => {
  const [bad, good] = [await harness.addTarget(), await harness.addTarget()];
  const planned = harness.plan([bad.id, good.id]);
  await harness.write([planned]);
  await harness.database
    .knex('open_deliveries')
    .where({ webhook_id: bad.id })
    .update({ claims_without_outcome: 8 });
  await harness.startWorker();
  const rows = await harness.ended(2);
  expect(rows.find((row) => row.webhook_id === bad.id)).toMatchObject({
    status: 'failed',
    error_code: 'crashes_worker',
  });
  expect(rows.find((row) => row.webhook_id === good.id)).toMatchObject({ status: 'succeeded' });
  expect(harness.destination.at(bad.path)).toEqual([]);
});

test('deliveries of undecryptable webhooks wait without using a step, and others succeed', async () => {
  const webhooks = () => harness.database.knex('webhooks');
  const good = await Promise.all(Array.from({ length: 5 }, () => harness.addTarget()));
  const [damaged, healed] = [await harness.addTarget(), await harness.addTarget()];
  const { url_encrypted: encrypted } = await webhooks().where({ id: healed.id }).first();
  const unknownKey = Buffer.concat([Buffer.from([2]), Buffer.from('k9'), encrypted.subarray(3)]);
  await webhooks().where({ id: healed.id }).update({ url_encrypted: unknownKey });
  await webhooks()
    .where({ id: damaged.id })
    .update({ body_encrypted: Buffer.from([1]) });
  await harness.write([harness.plan([damaged, healed, ...good].map(({ id }) => id))]);
  await harness.startWorker({ retry: { scheduleMs: [], maxAgeMs: 600_000 } });
  await harness.ended(5);
  const undecryptable = await until('the undecryptable deliveries show their errors', async () => {
    const rows = await harness.database.knex('deliveries').where({ error_code: 'internal_error' });
    return rows.length === 2 && rows;
  });
  expect(undecryptable.map((row) => row.webhook_id).sort()).toEqual([damaged.id, healed.id].sort());
  expect(undecryptable).toMatchObject([
    { status: 'open', attempts_made: 0, error: expect.stringContaining('cannot be decrypted') },
    { status: 'open', attempts_made: 0 },
  ]);
  await webhooks().where({ id: healed.id }).update({ url_encrypted: encrypted });
  const rows = await harness.ended(6);
  expect(new Set(rows.map((row) => row.status))).toEqual(new Set(['succeeded']));
  expect(harness.destination.at(healed.path)).toHaveLength(1);
});

test('a worker that stops completes its requests and keeps no claim', async () => {
  const target = await harness.addTarget();
  harness.destination.respond(target.path, (_, response) => setTimeout(() => response.end('ok'), 700));
  const worker = await harness.startWorker();
  await harness.fire(await harness.addRule([target.id]));
  await until('the request has gone out', () => harness.destination.at(target.path).length === 1);
  await worker.close(10_000);
  harness.workers.pop();
  expect(await harness.database.knex('deliveries').first()).toMatchObject({
    status: 'succeeded',
    attempts_made: 1,
  });
  expect(await harness.database.knex('open_deliveries')).toEqual([]);
  expect(await harness.database.knex('workers')).toEqual([]);
});

test('a worker that stops during a burst leaves the remaining deliveries to another worker', async () => {
  const target = await harness.addTarget();
  harness.destination.respond(target.path, (_, response) => setTimeout(() => response.end('ok'), 20));
  const rule = await harness.addRule([target.id]);
  await Promise.all(Array.from({ length: 800 }, () => harness.fire(rule)));
  const worker = await harness.startWorker({ slots: 8 });
  await until('more than 40 requests have arrived', () => harness.destination.at(target.path).length > 40);
  await worker.close(10_000);
  harness.workers.pop();
  const before = harness.destination.at(target.path).length;
  expect(before).toBeLessThan(800);
  expect(await harness.database.knex('open_deliveries').whereNotNull('claimed_by')).toEqual([]);
  await harness.startWorker();
  const rows = await harness.ended(800, { timeoutMs: 80_000 });
  expect(new Set(rows.map((row) => row.attempts_made))).toEqual(new Set([1]));
  expect(harness.destination.at(target.path)).toHaveLength(800);
}, 120_000);

test('two workers deliver a backlog together and send each delivery once', async () => {
  const targets = await Promise.all(Array.from({ length: 20 }, () => harness.addTarget()));
  const ids = targets.map((target) => target.id);
  const planned = Array.from({ length: 100 }, () => harness.plan(ids));
  await harness.write(planned);
  await Promise.all([harness.startWorker(), harness.startWorker()]);
  await until(
    'all deliveries have ended',
    async () => (await harness.database.knex('open_deliveries').first()) === undefined,
    { timeoutMs: 80_000 },
  );
  const [{ made, rows }] = (
    await harness.database.knex.raw(
      'select sum(attempts_made)::int as made, count(*)::int as rows from deliveries',
    )
  ).rows;
  expect({ made, rows, received: harness.destination.received.length }).toEqual({
    made: 2_000,
    rows: 2_000,
    received: 2_000,
  });
}, 120_000);
