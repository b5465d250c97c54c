import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import type { DeliveryWorkerConfig } from '../src/config.js';
import { maxUnrecorded } from '../src/delivery/delivery-processor.js';
import { useWorkerHarness, type WorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ each: 'test', queuedLeaseMs: 1_000 });

type Limits = { statement_timeout?: string; lock_timeout?: string };

/** Starts a worker with the given statement timeout and lock timeout, in milliseconds. */
function startWorker(
  { statement_timeout = '30000', lock_timeout = '300' }: Limits = {},
  changes: Partial<DeliveryWorkerConfig> = {},
) {
  const url = new URL(harness.config.databaseUrl.reveal());
  url.searchParams.set('statement_timeout', statement_timeout);
  url.searchParams.set('lock_timeout', lock_timeout);
  return harness.startWorker({ databaseUrl: new Secret(url.href), ...changes });
}

/** Adds a destination that responds only after `respond` was called. */
async function addTargetThatWaits() {
  const target = await harness.addTarget();
  const waiting: (() => void)[] = [];
  let isOpen = false;
  harness.destination.respond(target.path, (_, response) => {
    if (isOpen) response.end('ok');
    else waiting.push(() => response.end('ok'));
  });
  const respond = () => {
    isOpen = true;
    for (const end of waiting.splice(0)) end();
  };
  return { ...target, waiting: () => waiting.length, respond };
}

const writeWaiting = async (webhookId: string, count: number) => {
  const planned = Array.from({ length: count }, () => harness.plan([webhookId]));
  await harness.write(planned);
  return planned.map(({ deliveries }) => deliveries[0]!.id);
};
const ended = (count: number) => harness.ended(count, { status: 'succeeded', timeoutMs: 25_000 });
const workerLeaseMs = 3_000;
/** Maximum number of slots of a webhook that has not responded yet. */
const inFlight = 4;
/** Starts workers, and waits until they send `inFlight` deliveries to one target, which does not respond yet. */
async function sendInFlight(startWorkers: () => Promise<unknown> = startWorker) {
  const target = await addTargetThatWaits();
  const ids = await writeWaiting(target.id, inFlight);
  await startWorkers();
  await until('all are being sent', () => target.waiting() === ids.length);
  return { target, ids };
}
const requests = (path: string) => harness.destination.at(path).length;

/** Waits until `count` deliveries have succeeded, and checks that each was sent and recorded once. */
async function expectOnce(path: string, count: number) {
  await ended(count);
  expect(requests(path)).toBe(count);
  const rows = await harness.database.knex('deliveries').select('attempts_made', 'status_code');
  expect(rows).toEqual(Array.from({ length: count }, () => ({ attempts_made: 1, status_code: 200 })));
  expect(await harness.database.knex('attempts')).toHaveLength(count);
  expect(await harness.database.knex('open_deliveries')).toEqual([]);
}

/** Ends all leases, and releases the claimed deliveries with the lease sweep of another worker. */
async function expireLeases({ database, releaseExpired }: WorkerHarness) {
  await until('all are released', async () => {
    await database.knex('workers').delete();
    await database.knex('open_deliveries').update({ lease_until: new Date(0) });
    await releaseExpired();
    const [row] = await database.knex('open_deliveries').whereNotNull('claimed_by');
    return row === undefined;
  });
}

test.each<[string, Limits]>([
  ['reaches the lock timeout', {}],
  ['reaches the statement timeout', { statement_timeout: '300', lock_timeout: '0' }],
])(
  'a delivery is sent and recorded once, even if recording %s and leases expire',
  async (_, limits) => {
    const { target, ids } = await sendInFlight(() => startWorker(limits));
    await harness.database.knex.transaction(async (trx) => {
      await trx.raw('lock table attempts in access exclusive mode');
      target.respond();
      for (let lease = 0; lease < 7; lease += 1) await expireLeases(harness);
      expect(await harness.database.knex('open_deliveries').max('claims_without_outcome')).toEqual([
        { max: 1 },
      ]);
    });
    await expectOnce(target.path, ids.length);
  },
  60_000,
);

test('a delivery that is queued again during its request is claimed when the request has ended', async () => {
  const target = await addTargetThatWaits();
  await writeWaiting(target.id, 1);
  // The lease of queued rows is longer than the test, so that the lease sweep releases no row.
  await startWorker({}, { queuedLeaseMs: 600_000 });
  await until('it is being sent', () => target.waiting() === 1);
  await harness.database.knex('open_deliveries').update({
    run: 2,
    state: 'waiting',
    claimed_by: null,
    claim_token: null,
    lease_until: null,
    due_at: new Date(0),
  });
  const row = () => harness.database.knex('open_deliveries').first();
  await until('it is queued again', async () => (await row()).state === 'queued');
  const other = await harness.addTarget();
  await writeWaiting(other.id, 1);
  await until('the later delivery has been sent', () => requests(other.path) === 1);
  expect(requests(target.path)).toBe(1);
  target.respond();
  await ended(2);
  expect(requests(target.path)).toBe(2);
  expect(await harness.database.knex('open_deliveries')).toEqual([]);
}, 60_000);

test('a delivery is not sent again if the commit of its outcome takes longer than a lease', async () => {
  const { target, ids } = await sendInFlight(() => Promise.all([startWorker(), startWorker()]));
  await harness.database.knex.transaction(async (trx) => {
    await trx.raw('lock table attempts in access exclusive mode');
    target.respond();
    await new Promise((resolve) => setTimeout(resolve, 3 * workerLeaseMs));
  });
  await expectOnce(target.path, ids.length);
}, 60_000);

test('outcomes are recorded while the row of another delivery is locked', async () => {
  const { target, ids } = await sendInFlight();
  await harness.database.knex.transaction(async (trx) => {
    await trx('open_deliveries').where({ delivery_id: ids[3]! }).forUpdate();
    target.respond();
    await ended(ids.length - 1);
    // The worker continues to send other deliveries.
    const other = await harness.addTarget();
    await harness.fire(await harness.addRule([other.id]));
    await until('another has been delivered', () => requests(other.path) === 1);
  });
  await ended(ids.length + 1);
  expect(requests(target.path)).toBe(ids.length);
  expect(await harness.database.knex('attempts')).toHaveLength(ids.length + 1);
}, 60_000);

test('the number of sent deliveries that are not recorded yet is limited', async () => {
  const slots = 4;
  const target = await harness.addTarget();
  const rule = await harness.addRule([target.id]);
  await startWorker({}, { slots });
  await harness.fire(rule);
  await ended(1);
  await harness.database.knex.transaction(async (trx) => {
    await trx.raw('lock table attempts in access exclusive mode');
    await Promise.all(Array.from({ length: 400 }, () => harness.fire(rule)));
    await until(
      'all alerts are accepted',
      async () => (await harness.database.knex('alerts')).length === 401,
    );
    await until(
      'no further delivery is sent for a second',
      async () => {
        const before = requests(target.path);
        await sleep(1_000);
        return before > 1 + slots && requests(target.path) === before;
      },
      { timeoutMs: 40_000 },
    );
    // Without the limit, all 401 deliveries would be sent. The expected maximum is the sum of the first delivery, five
    // deliveries for each slot, and the `maxUnrecorded` deliveries that can wait until their outcomes are recorded.
    expect(requests(target.path)).toBeLessThanOrEqual(1 + 5 * slots + maxUnrecorded);
  });
  await expectOnce(target.path, 401);
}, 90_000);

test('an outcome is recorded even if the pause of its webhook cannot be committed', async () => {
  const target = await harness.addTarget();
  harness.destination.respond(target.path, (_, response) =>
    response.writeHead(503, { 'retry-after': '60' }).end(),
  );
  await harness.database.knex.transaction(async (trx) => {
    await trx.raw('lock table webhook_pauses in exclusive mode');
    await startWorker();
    await harness.fire(await harness.addRule([target.id]));
    await until('it has been recorded', () => harness.database.knex('attempts').first());
  });
  expect(requests(target.path)).toBe(1);
}, 60_000);

test('no delivery is lost or repeated while statements are cancelled repeatedly', async () => {
  const target = await harness.addTarget();
  const rule = await harness.addRule([target.id]);
  // A slow insert makes it likely that `pg_cancel_backend` hits a running statement.
  await harness.database.knex.raw(`
    create function wait_a_little() returns trigger language plpgsql as 'begin perform pg_sleep(0.05); return null; end';
    create trigger slow after insert on attempts for each statement execute function wait_a_little()`);
  await startWorker();
  const cancel = async () => {
    const { rows } = await harness.database.knex.raw(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'tocsin-delivery-worker' and state = 'active'`,
    );
    return rows.length;
  };
  let fired = 0;
  for (let cancelled = 0; cancelled < 100 || fired < 50; fired += 1) {
    await harness.fire(rule);
    cancelled += await cancel();
  }
  await expectOnce(target.path, fired);
}, 60_000);

test('outcomes are recorded after a read-only period, even on sessions opened in that period', async () => {
  const { target, ids } = await sendInFlight();
  const { rows } = await harness.database.knex.raw('select current_database() as name');
  const setting = `alter database ${rows[0].name}`;
  await harness.database.knex.raw(`${setting} set default_transaction_read_only = on`);
  const sessions = () =>
    harness.database
      .knex('pg_stat_activity')
      .where({ datname: rows[0].name, application_name: 'tocsin-delivery-worker' })
      .pluck('pid');
  const before: number[] = await sessions();
  await harness.database.knex.raw('select pg_terminate_backend(pid) from unnest(?::integer[]) as pid', [
    before,
  ]);
  target.respond();
  await until('there are new sessions', async () => (await sessions()).some((pid) => !before.includes(pid)));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await harness.database.knex('attempts')).toEqual([]);
  await harness.database.knex.raw(`${setting} reset default_transaction_read_only`);
  await expectOnce(target.path, ids.length);
}, 60_000);
