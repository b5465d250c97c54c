import { randomUUID } from 'node:crypto';
import { useTestDatabase } from '@tocsin/testing/database';
import { useDatabaseFixtures } from './support/database-fixtures.js';

const db = useTestDatabase();
const fixtures = useDatabaseFixtures(db, { each: 'file' });

const secondMs = 1_000;
/** Lease duration in the fixtures, in milliseconds. A claim sets `lease_until` to its own time plus this duration. */
const leaseMs = 60_000;
const hourMs = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms);

// Workers use 91 % of a rate limit, so a limit of 100 requests in an hour allows one request every 39.6 s. After a
// quarter of the hour without requests, 23 requests are allowed at once.
const hundredAnHour = { requests: 100, period_ms: hourMs };
const intervalMs = 39_600;
const burstMs = 900_000;

/**
 * Adds a webhook with a rate limit that allows the next request at `nextAt`. `columns` has values for columns of the
 * webhook.
 */
async function addLimited(
  limit: { requests: number; period_ms: number },
  nextAt: Date,
  columns: object = {},
) {
  const limits = { rate_limit_requests: limit.requests, rate_limit_period_ms: limit.period_ms };
  const id = await fixtures.addWebhook({ columns: { ...limits, ...columns } });
  await db.database.knex('webhook_rate_limits').insert({ webhook_id: id, ...limit, next_at: nextAt });
  return id;
}

/**
 * Writes waiting deliveries of a webhook. `open` has values for columns of `open_deliveries`. Returns the delivery ids.
 */
async function addWaiting(webhookId: string, count: number, open: object = {}): Promise<string[]> {
  const planned = Array.from({ length: count }, () => fixtures.plan([webhookId]));
  await fixtures.write(planned);
  const ids = planned.map(({ deliveries }) => deliveries[0]!.id);
  const due = { due_at: ago(secondMs), ...open };
  await db.database.knex('open_deliveries').whereIn('delivery_id', ids).update(due);
  return ids;
}

const claimDeliveries = (webhookId: string, places: number) =>
  fixtures.claimLimited([{ workspaceId: fixtures.workspaceId, webhookId, places }]);

async function claim(webhookId: string, places = 1_000): Promise<string[]> {
  const claimed = await claimDeliveries(webhookId, places);
  return claimed.map(({ deliveryId }) => deliveryId);
}

/** Claims deliveries. Returns the kind of each claim by delivery id. */
async function claimKinds(webhookId: string, places: number): Promise<Record<string, unknown>> {
  const claimed = await claimDeliveries(webhookId, places);
  return Object.fromEntries(claimed.map((one) => [one.deliveryId, one.limitedClaim]));
}

const next = async (webhookId: string): Promise<Date> =>
  (await db.database.knex('webhook_rate_limits').where({ webhook_id: webhookId }).first()).next_at;

/**
 * Returns the time from the claim of a delivery to the next allowed request, in milliseconds. The claim statement has
 * set `lease_until`, from which the time of the claim is calculated, and the time of the next request.
 */
async function nextInMs(webhookId: string, [claimed]: string[]): Promise<number> {
  const { lease_until } = await fixtures.open(claimed!);
  const claimedAtMs = lease_until.getTime() - leaseMs;
  return (await next(webhookId)).getTime() - claimedAtMs;
}

/** PostgreSQL rounds times to microseconds and pg to milliseconds, so a difference of 1 ms is allowed. */
const expectMs = (ms: number, expected: number) => expect(Math.abs(ms - expected)).toBeLessThanOrEqual(1);

test('after an idle time, a rate limit allows the requests of a quarter of its period at once', async () => {
  const id = await addLimited(hundredAnHour, ago(24 * hourMs));
  await addWaiting(id, 40);
  const claimed = await claim(id);
  expect(claimed).toHaveLength(23);
  expectMs(await nextInMs(id, claimed), 23 * intervalMs - burstMs);
  expect(await claim(id)).toEqual([]);
});

test.each([1, 2])(
  'a rate limit of %d requests allows no burst, and its period is extended by 100 ms',
  async (requests) => {
    const id = await addLimited({ requests, period_ms: 100 * secondMs }, ago(24 * hourMs));
    await addWaiting(id, 3);
    const claimed = await claim(id);
    expect(claimed).toHaveLength(1);
    expectMs(await nextInMs(id, claimed), (110 * secondMs + 100) / requests);
  },
);

test('a rate limit of three requests allows a burst, and its period is not extended by 100 ms', async () => {
  const id = await addLimited({ requests: 3, period_ms: 100 * secondMs }, ago(24 * hourMs));
  await addWaiting(id, 3);
  const claimed = await claim(id);
  expect(claimed).toHaveLength(1);
  expectMs(await nextInMs(id, claimed), (110 * secondMs) / 3 - 25 * secondMs);
});

test('each deferral in a batch returns the request of its claim to the rate limit of its webhook', async () => {
  const [id, other] = [
    await addLimited(hundredAnHour, ago(24 * hourMs)),
    await addLimited(hundredAnHour, ago(24 * hourMs)),
  ];
  for (const webhookId of [id, other]) await addWaiting(webhookId, 3);
  const { workspaceId } = fixtures;
  const wanted = [id, other].map((webhookId) => ({ workspaceId, webhookId, places: 3 }));
  const claimed = await fixtures.claimLimited(wanted);
  expect(claimed).toHaveLength(6);
  const [used, usedByOther] = [await next(id), await next(other)];
  const deferral = { kind: 'deferred', afterMs: 0, reason: 'no_slot' } as const;
  const deferred = claimed.filter(({ webhookId }) => webhookId === id).slice(0, 2);
  await fixtures.records.defer(deferred.map((entry) => ({ claimed: entry, deferral })));
  expectMs(used.getTime() - (await next(id)).getTime(), 2 * intervalMs);
  expect(await next(other)).toEqual(usedByOther);
});

test('claimLimited claims at most the given number of deliveries, and uses one request for each', async () => {
  const id = await addLimited(hundredAnHour, ago(24 * hourMs));
  const [oldest] = await addWaiting(id, 1, { due_at: ago(hourMs) });
  await addWaiting(id, 9);
  const claimed = await claim(id, 5);
  expect([claimed.length, claimed.includes(oldest!)]).toEqual([5, true]);
  expectMs(await nextInMs(id, claimed), 5 * intervalMs - burstMs);
});

test.each([
  ['older', ago(2 * hourMs)],
  ['newer', ago(secondMs)],
])('retries that are %s than deliveries without an attempt are claimed before them', async (_, dueAt) => {
  const id = await addLimited(hundredAnHour, ago(24 * hourMs));
  await addWaiting(id, 5, { due_at: ago(hourMs) });
  const retries = await addWaiting(id, 2, { step: 1, due_at: dueAt });
  const claimed = await claim(id, 3);
  expect(claimed).toHaveLength(3);
  expect(claimed).toEqual(expect.arrayContaining(retries));
});

test.each([0, 1])(
  'a delivery at step %d of its retry schedule is not claimed before it is due',
  async (step) => {
    const id = await addLimited(hundredAnHour, ago(24 * hourMs));
    await addWaiting(id, 1, { step, due_at: ago(-hourMs) });
    expect(await claim(id)).toEqual([]);
  },
);

/** Values of a delivery that has waited since it was accepted. */
const since = (at: Date) => ({ opened_at: at, due_at: at });

test('an expired delivery is claimed although the rate limit is used up, and uses no request', async () => {
  const nextAt = ago(-hourMs);
  const id = await addLimited(hundredAnHour, nextAt);
  const [expired] = await addWaiting(id, 1, since(ago(25 * hourMs)));
  await addWaiting(id, 2, since(ago(23 * hourMs)));
  expect(await claim(id)).toEqual([expired]);
  expect(await next(id)).toEqual(nextAt);
});

test.each([0, 1])(
  'expired deliveries at step %d leave the requests of the limit to later deliveries',
  async (step) => {
    const id = await addLimited(hundredAnHour, ago(24 * hourMs));
    const expired = await addWaiting(id, 30, { step, ...since(ago(25 * hourMs)) });
    const later = await addWaiting(id, 30, since(ago(23 * hourMs)));
    const claimed = await claim(id);
    expect(claimed.filter((deliveryId) => expired.includes(deliveryId))).toHaveLength(30);
    expect(claimed.filter((deliveryId) => later.includes(deliveryId))).toHaveLength(23);
    expectMs(await nextInMs(id, claimed), 23 * intervalMs - burstMs);
  },
);

test('the number of claimed expired deliveries is divided among the webhooks', async () => {
  const { workspaceId } = fixtures;
  const ids = [await addLimited(hundredAnHour, ago(-hourMs)), await addLimited(hundredAnHour, ago(-hourMs))];
  for (const id of ids) await addWaiting(id, 7, since(ago(25 * hourMs)));
  const wanted = ids.map((webhookId) => ({ workspaceId, webhookId, places: 3 }));
  const claimedOf = async (maxExpired: number) => {
    const claimed = await fixtures.claimLimited(wanted, { maxExpired });
    return ids.map((id) => claimed.filter(({ webhookId }) => webhookId === id).length);
  };
  expect(await claimedOf(0)).toEqual([0, 0]);
  expect(await claimedOf(5)).toEqual([2, 2]);
  expect(await claimedOf(1)).toEqual([1, 1]);
});

test('a delivery that expired before its retry became due uses no request', async () => {
  const id = await addLimited(hundredAnHour, ago(24 * hourMs));
  const [expired] = await addWaiting(id, 1, { step: 1, opened_at: ago(25 * hourMs) });
  const [other] = await addWaiting(id, 1);
  expect(await claimKinds(id, 2)).toEqual({ [expired!]: 'expired', [other!]: 'with_request' });
  expectMs(await nextInMs(id, [other!]), intervalMs - burstMs);
});

test('expired deliveries are claimed beyond the limit unless a pause ended in the last day', async () => {
  const pausedUntil = (hours: number) => ({
    manual_pauses: `{[${ago(50 * hourMs).toISOString()},${ago(hours * hourMs).toISOString()})}`,
  });
  const recent = await addLimited(hundredAnHour, ago(-hourMs), pausedUntil(23));
  const old = await addLimited(hundredAnHour, ago(-hourMs), pausedUntil(25));
  await addWaiting(recent, 1, since(ago(60 * hourMs)));
  const expired = await addWaiting(old, 1, since(ago(60 * hourMs)));
  await addWaiting(old, 1, since(ago(23 * hourMs)));
  expect(await claim(recent)).toEqual([]);
  expect(await claim(old)).toEqual(expired);
});

test('a claim uses no request if its delivery has expired, manual pauses not counted', async () => {
  const pauses = [
    [40, 30],
    [20, 18],
  ].map(([from, to]) => `[${ago(from! * hourMs).toISOString()},${ago(to! * hourMs).toISOString()})`);
  const id = await addLimited(hundredAnHour, ago(24 * hourMs), { manual_pauses: `{${pauses.join()}}` });
  const [expired] = await addWaiting(id, 1, since(ago(27 * hourMs)));
  const [paused] = await addWaiting(id, 1, since(ago(25 * hourMs)));
  expect(await claimKinds(id, 2)).toEqual({ [expired!]: 'expired', [paused!]: 'with_request' });
  expectMs(await nextInMs(id, [paused!]), intervalMs - burstMs);
});

test('a delivery that was accepted before the clock was set back uses a request', async () => {
  const id = await addLimited(hundredAnHour, ago(hourMs), { manual_pauses: '{[2026-01-01,2026-01-02)}' });
  const [early] = await addWaiting(id, 1, { opened_at: ago(-hourMs) });
  expect(await claimKinds(id, 1)).toEqual({ [early!]: 'with_request' });
});

test('claimLimited claims only deliveries of the given webhook in the given workspace', async () => {
  const [id, other] = [
    await addLimited(hundredAnHour, ago(hourMs)),
    await addLimited(hundredAnHour, ago(hourMs)),
  ];
  const own = await addWaiting(id, 2);
  await addWaiting(other, 2, { due_at: ago(hourMs) });
  const places = 10;
  const elsewhere = { workspaceId: randomUUID(), webhookId: id, places };
  expect(await fixtures.claimLimited([elsewhere])).toEqual([]);
  expect((await claim(id)).sort()).toEqual(own.sort());
});

test('a claimed delivery has the id of its worker, and its claim is counted', async () => {
  const id = await addLimited(hundredAnHour, ago(hourMs));
  await addWaiting(id, 1);
  const [deliveryId] = await claim(id);
  const { lease_until, ...row } = await fixtures.open(deliveryId!);
  expect(row).toMatchObject({
    state: 'queued',
    claim: 1,
    claimed_by: fixtures.workerId,
    claim_token: expect.any(String),
    claims_without_outcome: 1,
  });
  expect(lease_until.getTime()).toBeGreaterThan(Date.now());
});

test('a webhook whose rate limit another worker has locked is skipped without a wait', async () => {
  const id = await addLimited(hundredAnHour, ago(hourMs));
  await addWaiting(id, 1);
  await db.database.knex.transaction(async (other) => {
    await other('webhook_rate_limits').where({ webhook_id: id }).forUpdate();
    expect(await claim(id)).toEqual([]);
  });
  expect(await claim(id)).toHaveLength(1);
});

test('a delivery that another transaction has locked is skipped without a wait', async () => {
  const id = await addLimited(hundredAnHour, ago(hourMs));
  const [locked] = await addWaiting(id, 1, { due_at: ago(hourMs) });
  const others = await addWaiting(id, 1);
  await db.database.knex.transaction(async (other) => {
    await other('open_deliveries').where({ delivery_id: locked }).forUpdate();
    expect(await claim(id, 1)).toEqual(others);
  });
  expect(await claim(id, 1)).toEqual([locked]);
});
