import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ each: 'test' });

const startWorkers = (count: number) =>
  Promise.all(Array.from({ length: count }, () => harness.startWorker()));

async function addLimited(
  { requests, period_ms }: { requests: number; period_ms: number },
  columns: object = {},
) {
  const limits = { rate_limit_requests: requests, rate_limit_period_ms: period_ms };
  const target = await harness.addTarget({ columns: { ...limits, ...columns } });
  await harness.database.knex('webhook_rate_limits').insert({ webhook_id: target.id, requests, period_ms });
  return target;
}

/** Returns the start times of a webhook's attempts in Unix milliseconds, in ascending order. */
async function startsOf(webhookId: string): Promise<number[]> {
  const rows = await harness.database
    .knex('attempts as a')
    .join('deliveries as d', 'd.id', 'a.delivery_id')
    .where('d.webhook_id', webhookId)
    .orderBy('a.started_at')
    .pluck('a.started_at');
  return rows.map((at: Date) => at.getTime());
}

/** Returns the largest number of requests that started within a period of `ms`. */
const mostWithin = (starts: number[], ms: number) =>
  Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + ms).length));

test.each([
  { requests: 10, period_ms: 1_000, alerts: 120 },
  { requests: 1, period_ms: 1_000, alerts: 12 },
  { requests: 100, period_ms: 1_000, alerts: 1_200 },
])(
  'over ten periods, three workers send 70 to 110 % of the limit $requests in $period_ms ms',
  async ({ requests, period_ms, alerts }) => {
    const target = await addLimited({ requests, period_ms });
    const planned = Array.from({ length: alerts }, () => harness.plan([target.id]));
    await harness.write(planned);
    await startWorkers(3);
    await until('all are delivered', () => harness.destination.at(target.path).length >= alerts, {
      timeoutMs: 30_000,
    });
    await until('all are recorded', async () => (await startsOf(target.id)).length === alerts);
    const starts = await startsOf(target.id);
    expect(mostWithin(starts, period_ms)).toBeLessThanOrEqual(1.4 * requests);
    expect(mostWithin(starts, 10 * period_ms)).toBeLessThanOrEqual(11 * requests);
    // Only periods that end before the last request are checked, because deliveries were waiting until that request.
    const tenPeriods = starts.filter((at) => at + 10 * period_ms <= starts.at(-1)!);
    const fewest = Math.min(
      ...tenPeriods.map((from) => starts.filter((at) => at >= from && at < from + 10 * period_ms).length),
    );
    expect(fewest).toBeGreaterThanOrEqual(7 * requests);
  },
  60_000,
);

test('due retries of a rate-limited webhook are sent before deliveries without an attempt', async () => {
  const target = await addLimited({ requests: 5, period_ms: 1_000 });
  const planned = Array.from({ length: 20 }, () => harness.plan([target.id]));
  await harness.write(planned);
  const retries = planned.slice(10, 15).map(({ deliveries }) => deliveries[0]!.id);
  await harness.database.knex('open_deliveries').whereIn('delivery_id', retries).update({ step: 1 });
  await startWorkers(1);
  await until('five are sent', async () => (await startsOf(target.id)).length >= 5);
  const first = await harness.database.knex('attempts').orderBy('started_at').limit(5).pluck('delivery_id');
  expect(new Set(first)).toEqual(new Set(retries));
});

test('deliveries above a rate limit wait without using a step and delay no other webhook', async () => {
  const target = await addLimited({ requests: 1, period_ms: 3_600_000 });
  const free = await harness.addTarget();
  await startWorkers(2);
  const ruleId = await harness.addRule([target.id, free.id]);
  await Promise.all(Array.from({ length: 20 }, () => harness.fire(ruleId)));
  await until('the other webhook has received all', () => harness.destination.at(free.path).length === 20);
  await until('the limit is used', () => harness.destination.at(target.path).length === 1);
  const open = await harness.database.knex('open_deliveries').where({ webhook_id: target.id });
  expect(open.length).toBeGreaterThanOrEqual(19);
  for (const row of open.filter(({ claimed_by }) => claimed_by === null))
    expect(row).toMatchObject({ state: 'waiting', step: 0, claims_without_outcome: 0 });
});

test('a rate-limited webhook keeps its rate while the oldest of its deliveries expire', async () => {
  const maxAgeMs = 5_000;
  const target = await addLimited({ requests: 5, period_ms: 1_000 });
  const planned = Array.from({ length: 200 }, () => harness.plan([target.id]));
  await harness.write(planned);
  // The deliveries expire one after the other, 20 in each second, four times as fast as the limit allows requests.
  const oldest = Date.now() - maxAgeMs;
  const ids = planned.map(({ deliveries }) => deliveries[0]!.id);
  const times = ids.map((_, index) => new Date(oldest + index * 50).toISOString());
  await harness.database.knex.raw(
    `update open_deliveries set opened_at = at, due_at = at
     from unnest(cast(? as uuid[]), cast(? as timestamptz[])) as v(id, at) where delivery_id = v.id`,
    [ids, times],
  );
  await harness.startWorker({ retry: { ...harness.config.retry, maxAgeMs } });
  await until('all have ended', async () => (await harness.database.knex('open_deliveries')).length === 0, {
    timeoutMs: 60_000,
  });
  // The last delivery expires after 10 s, in which the limit allows about 45 requests.
  expect((await startsOf(target.id)).length).toBeGreaterThan(20);
}, 90_000);

test('a delivery expires although the rate limit of its webhook allows no request at that time', async () => {
  const target = await addLimited({ requests: 1, period_ms: 3_600_000 });
  const next_at = new Date(Date.now() + 3_600_000);
  await harness.database.knex('webhook_rate_limits').update({ next_at });
  await harness.write([harness.plan([target.id])]);
  const old = new Date(Date.now() - 61_000);
  await harness.database.knex('open_deliveries').update({ opened_at: old, due_at: old });
  await startWorkers(1);
  const [row] = await harness.ended(1);
  expect(row).toMatchObject({ status: 'failed', error_code: 'expired' });
});

test('the error of a delivery that expired while it waited for its rate limit names the limit', async () => {
  const target = await addLimited({ requests: 1, period_ms: 1_000 });
  await harness.write(Array.from({ length: 30 }, () => harness.plan([target.id])));
  const old = new Date(Date.now() - 61_000);
  await harness.database.knex('open_deliveries').update({ opened_at: old, due_at: old });
  await startWorkers(1);
  const rows = await until('all have ended', async () => {
    const ended = await harness.database.knex('deliveries').where({ status: 'failed' });
    return ended.length === 30 && ended;
  });
  for (const row of rows) expect(row).toMatchObject({ error_code: 'expired', attempts_made: 0 });
  expect(rows[0].error).toContain('1 requests in 1000 ms');
});

/** Claims the only delivery of a new webhook with a rate limit. */
async function claimLimited() {
  const target = await addLimited({ requests: 2, period_ms: 2_000 });
  await harness.lease.renew(60_000);
  await harness.write([harness.plan([target.id])]);
  const wanted = [{ workspaceId: harness.workspaceId, webhookId: target.id, places: 10 }];
  const [claimed] = await harness.claimLimited(wanted);
  return { target, wanted, claimed };
}

test('another worker sends the rate-limited delivery of a worker whose lease has ended', async () => {
  const { target, wanted, claimed } = await claimLimited();
  expect(claimed).toMatchObject({ claim: 1, limitedClaim: 'with_request' });
  expect(await harness.claimLimited(wanted)).toEqual([]);
  await harness.lease.end();
  await startWorkers(1);
  await until('it is delivered', () => harness.destination.at(target.path).length === 1);
});

test('a delivery that was queued before its webhook got a limit waits for the limit', async () => {
  const due = await harness.queueOne();
  const { webhook_id } = await harness.delivery(due.deliveryId);
  const limit = { rate_limit_requests: 1, rate_limit_period_ms: 3_600_000 };
  await harness.database
    .knex('webhooks')
    .where({ id: webhook_id })
    .update({ ...limit, version: 2 });
  const nextAt = new Date(Date.now() + 3_600_000);
  const row = { webhook_id, requests: 1, period_ms: 3_600_000, next_at: nextAt };
  await harness.database.knex('webhook_rate_limits').insert(row);
  await startWorkers(1);
  await harness.publishDue(Buffer.from(`${due.deliveryId}/1`));
  await until('it waits for the limit', async () => {
    const open = await harness.open(due.deliveryId);
    return open?.waiting_reason === 'rate_limit';
  });
  expect(await harness.attempts(due.deliveryId)).toEqual([]);
});

test('a deferral returns the request to the rate limit only if its claim has taken one', async () => {
  const target = await addLimited({ requests: 2, period_ms: 2_000 });
  await harness.lease.renew(60_000);
  await harness.write([harness.plan([target.id])]);
  const limits = () => harness.database.knex('webhook_rate_limits').where({ webhook_id: target.id }).first();
  const wanted = [{ workspaceId: harness.workspaceId, webhookId: target.id, places: 10 }];
  const claimNext = async () => {
    await harness.database.knex('open_deliveries').update({ due_at: new Date(0) });
    const [claimed] = await harness.claimLimited(wanted);
    return claimed!;
  };
  const deferral = { kind: 'deferred', afterMs: 0, reason: 'no_slot' } as const;
  const claimed = await claimNext();
  const { next_at: used } = await limits();
  // The limit allows a request every 1.15 s, so a returned request moves `next_at` back by 1.15 s.
  await harness.records.defer([{ claimed, deferral }]);
  expect((await limits()).next_at.getTime()).toBe(used.getTime() - 1_150);
  // The claim has already ended, so deferring it again does not give the request back to the limit a second time.
  await harness.records.defer([{ claimed, deferral }]);
  expect((await limits()).next_at.getTime()).toBe(used.getTime() - 1_150);
  const again = await claimNext();
  const { next_at: usedAgain } = await limits();
  await harness.records.defer([{ claimed: { ...again, limitedClaim: 'expired' }, deferral }]);
  expect((await limits()).next_at).toEqual(usedAgain);
});

test('a deferral does not wait while another worker has locked the rate limit', async () => {
  const { target, claimed } = await claimLimited();
  await harness.database.knex.transaction(async (trx) => {
    await trx('webhook_rate_limits').where({ webhook_id: target.id }).forUpdate();
    await harness.records.defer([
      { claimed: claimed!, deferral: { kind: 'deferred', afterMs: 0, reason: 'no_slot' } },
    ]);
  });
  expect(await harness.open(claimed!.deliveryId)).toMatchObject({ state: 'waiting', claimed_by: null });
});

test('a worker that stops during a claim of rate-limited deliveries waits for their outcomes', async () => {
  const target = await addLimited({ requests: 1, period_ms: 1_000 });
  harness.destination.respond(target.path, (_, response) => void setTimeout(() => response.end(), 500));
  const planned = harness.plan([target.id]);
  await harness.write([planned]);
  const delivery_id = planned.deliveries[0]!.id;
  let closed: Promise<void> | undefined;
  await harness.database.knex.transaction(async (trx) => {
    await trx.raw('lock table webhook_rate_limits in exclusive mode');
    const worker = await harness.startWorker();
    await until('the claim waits for the lock', async () => {
      const waiting = harness.database.knex('pg_stat_activity').where({ wait_event_type: 'Lock' });
      return (await waiting.whereLike('query', '%with limits as%')).length > 0;
    });
    closed = worker.close(12_000);
    // The worker has no other work, so its consumers have stopped by then. The claim waits for the lock for up to 2 s.
    await sleep(300);
  });
  await closed;
  expect(harness.destination.at(target.path)).toHaveLength(1);
  const attempts = await harness.attempts(delivery_id);
  expect(attempts.map((attempt) => attempt.error_code)).toEqual([null]);
});
