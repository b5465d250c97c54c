import { createLogger } from '@tocsin/kit';
import type { RenewalResult } from './lease-repository.js';
import { createWorkerLease } from './worker-lease.js';

const { jest } = import.meta;
const logger = createLogger({ service: 'test', level: 'silent' });
const releaseBy = new Date();

/**
 * Creates a lease with a clock that the test controls. A renewal resolves to the result of `respondWith`. If
 * `respondWith` is undefined, the renewal is pending until the test settles it.
 */
function startLease() {
  jest.useFakeTimers();
  const clock = { ms: 100_000 };
  const asked: { leaseMs: number; mayLead: boolean; settle: (result: RenewalResult | Error) => void }[] = [];
  let releases = 0;
  let ended = 0;
  let respond: (() => RenewalResult | Error) | undefined = () => ({ ...held(), wasHeld: asked.length > 1 });
  const lease = createWorkerLease({
    repository: {
      renew: (leaseMs, asLeader = false) =>
        new Promise((resolve, reject) => {
          const settle = (result: RenewalResult | Error) =>
            result instanceof Error ? reject(result) : resolve(result);
          asked.push({ leaseMs, mayLead: asLeader, settle });
          if (respond !== undefined) settle(respond());
        }),
      end: async () => {
        ended += 1;
        throw new Error('no database');
      },
    },
    logger,
    now: () => clock.ms,
  });
  const pass = async (ms: number) => {
    clock.ms += ms;
    await jest.advanceTimersByTimeAsync(ms);
  };
  return {
    lease,
    clock,
    asked,
    pass,
    async start() {
      lease.onReleaseAllowed(() => (releases += 1));
      lease.setMayLead(true);
      lease.start();
      await jest.advanceTimersByTimeAsync(0);
    },
    releases: () => releases,
    ended: () => ended,
    respondWith: (next: (() => RenewalResult | Error) | undefined) => {
      respond = next;
    },
  };
}

const held = () => ({ wasHeld: true, releaseBy, leads: true, workers: 2 });
const fail = () => new Error('no database');

afterEach(() => jest.useRealTimers());

test('a lease lasts three seconds, counted from the start of its last successful renewal', async () => {
  const { lease, pass, start, respondWith } = startLease();
  expect(lease.isHeld()).toBe(false);
  await start();
  expect(lease.isHeld()).toBe(true);
  respondWith(fail);
  await pass(2_999);
  expect(lease.isHeld()).toBe(true);
  await pass(1);
  expect(lease.isHeld()).toBe(false);
});

test('a lease that expired and was renewed does not cover claims from before its expiry', async () => {
  const { lease, clock, pass, start, respondWith } = startLease();
  await start();
  const claimedAtMs = clock.ms;
  await pass(1_000);
  expect(lease.covers(claimedAtMs)).toBe(true);
  expect(lease.covers(claimedAtMs - 1)).toBe(false);
  respondWith(fail);
  await pass(3_000);
  expect(lease.covers(claimedAtMs)).toBe(false);
  respondWith(held);
  await pass(1_000);
  expect([lease.covers(claimedAtMs), lease.covers(clock.ms)]).toEqual([false, true]);
});

test('once the database has found a lease expired, the lease no longer covers older claims', async () => {
  const { lease, clock, pass, start, respondWith } = startLease();
  await start();
  const claimedAtMs = clock.ms;
  respondWith(() => ({ ...held(), wasHeld: false }));
  await pass(1_000);
  expect([lease.covers(claimedAtMs), lease.covers(clock.ms)]).toEqual([false, true]);
});

test('a lease still covers its claims after the event loop was blocked for two seconds', async () => {
  const { lease, clock, pass, start } = startLease();
  await start();
  const claimedAtMs = clock.ms;
  // The clock advances by 2 s without a timer, because a blocked event loop runs no timers. The timer of the renewal
  // fires once afterwards, and not once for each missed second.
  clock.ms += 2_000;
  await pass(1_000);
  expect(lease.covers(claimedAtMs)).toBe(true);
});

test('expired leases are released two seconds after the start, and then every second', async () => {
  const { releases, pass, start } = startLease();
  await start();
  await pass(1_000);
  expect(releases()).toBe(0);
  for (let second = 2; second < 6; second += 1) {
    await pass(1_000);
    expect(releases()).toBe(second - 1);
  }
});

test.each<[number, string, (lease: ReturnType<typeof startLease>) => Promise<void>]>([
  [
    5,
    'failed',
    async ({ respondWith, pass }) => {
      respondWith(fail);
      await pass(1_000);
    },
  ],
  [
    4,
    'took more than a second',
    async ({ respondWith, pass, asked, clock }) => {
      respondWith(undefined);
      await pass(1_000);
      clock.ms += 1_001;
      asked.at(-1)!.settle(held());
    },
  ],
  [
    4,
    'came after the end of the lease',
    async ({ respondWith, pass, clock }) => {
      clock.ms += 3_000;
      respondWith(held);
      await pass(1_000);
    },
  ],
  [
    0,
    'took exactly a second',
    async ({ respondWith, pass, asked, clock }) => {
      respondWith(undefined);
      await pass(1_000);
      clock.ms += 1_000;
      asked.at(-1)!.settle(held());
      await pass(0);
    },
  ],
])('nothing is released in the %i seconds after a renewal that %s', async (seconds, _, disturb) => {
  const started = startLease();
  const { releases, pass, start, respondWith } = started;
  await start();
  for (let second = 0; second < 5; second += 1) await pass(1_000);
  await disturb(started);
  const before = releases();
  respondWith(held);
  for (let second = 0; second < seconds; second += 1) await pass(1_000);
  expect(releases()).toBe(before);
  await pass(1_000);
  expect(releases()).toBe(before + 1);
});

test('in the ten seconds after a failed renewal, each renewal requests a lease of ten seconds', async () => {
  const { asked, pass, start, respondWith } = startLease();
  await start();
  respondWith(fail);
  await pass(1_000);
  respondWith(held);
  for (let second = 0; second < 11; second += 1) await pass(1_000);
  expect(asked.map(({ leaseMs }) => leaseMs)).toEqual([
    3_000,
    3_000,
    ...Array.from({ length: 9 }, () => 10_000),
    3_000,
    3_000,
  ]);
});

test('a renewal without a response does not delay the following renewals', async () => {
  const { lease, asked, clock, pass, start, respondWith } = startLease();
  await start();
  const claimedAtMs = clock.ms;
  respondWith(undefined);
  await pass(1_000);
  respondWith(held);
  for (let second = 0; second < 8; second += 1) await pass(1_000);
  expect(asked).toHaveLength(10);
  expect(lease.covers(claimedAtMs)).toBe(true);
});

test('failure() of a lease returns the time of the first failed renewal and the latest error', async () => {
  const { lease, clock, pass, start, respondWith } = startLease();
  await start();
  expect(lease.failure()).toBeUndefined();
  respondWith(fail);
  await pass(1_000);
  const sinceMs = clock.ms;
  const last = new Error('read-only');
  respondWith(() => last);
  await pass(1_000);
  expect(lease.failure()).toEqual({ sinceMs, error: last });
  respondWith(held);
  await pass(1_000);
  expect(lease.failure()).toBeUndefined();
});

test('a worker stays the leader for three seconds after the start of its last renewal', async () => {
  const { lease, clock, pass, start, respondWith } = startLease();
  expect([lease.leads(), lease.workers()]).toEqual([false, 1]);
  await start();
  expect([lease.leads(), lease.workers()]).toEqual([true, 2]);
  respondWith(fail);
  await pass(2_999);
  expect(lease.leads()).toBe(true);
  clock.ms += 1;
  expect(lease.leads()).toBe(false);
});

test('a worker that was frozen for longer than its lease is no longer the leader', async () => {
  const { lease, clock, pass, start, respondWith } = startLease();
  await start();
  clock.ms += 3_000;
  expect(lease.leads()).toBe(false);
  respondWith(() => ({ ...held(), leads: false }));
  await pass(1_000);
  expect(lease.leads()).toBe(false);
});

test('a late reply to an earlier renewal does not make the worker the leader again', async () => {
  const { lease, asked, pass, start, respondWith } = startLease();
  await start();
  respondWith(undefined);
  await pass(1_000);
  respondWith(() => ({ ...held(), leads: false }));
  await pass(1_000);
  asked.at(-2)!.settle(held());
  await pass(0);
  expect(lease.leads()).toBe(false);
});

test('each renewal stores in the database whether this worker may lead', async () => {
  const { lease, asked, pass, start } = startLease();
  await start();
  lease.setMayLead(false);
  await pass(1_000);
  expect(asked.map(({ mayLead }) => mayLead)).toEqual([true, false]);
});

test('a renewal before the first call of setMayLead stores that the worker may not lead', () => {
  const { lease, asked } = startLease();
  lease.start();
  expect(asked.map(({ mayLead }) => mayLead)).toEqual([false]);
});

test('at most three renewals of a lease are in progress at the same time', async () => {
  const { asked, pass, start, respondWith } = startLease();
  respondWith(undefined);
  await start();
  for (let second = 0; second < 5; second += 1) await pass(1_000);
  expect(asked).toHaveLength(3);
  asked[0]!.settle(held());
  await pass(1_000);
  expect(asked).toHaveLength(4);
});

test('a lease that has ended is not renewed, even if the end cannot be written', async () => {
  const { lease, asked, pass, start, ended } = startLease();
  await start();
  await lease.end();
  await pass(10_000);
  expect([asked.length, ended()]).toEqual([1, 1]);
});

test('a lease is counted from the start of its renewal, however long the renewal takes', async () => {
  const { lease, asked, pass, start, respondWith } = startLease();
  await start();
  respondWith(undefined);
  await pass(1_000);
  await pass(1_500);
  asked[1]!.settle(held());
  await pass(1_400);
  expect(lease.isHeld()).toBe(true);
  await pass(200);
  expect(lease.isHeld()).toBe(false);
});
