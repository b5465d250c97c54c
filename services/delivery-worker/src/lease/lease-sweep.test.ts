import { createLogger, type Logger } from '@tocsin/kit';
import { createLeaseSweep, type LeaseSweepDeps } from './lease-sweep.js';

const startSweep = (
  releaseExpired: LeaseSweepDeps['repository']['releaseExpired'],
  { leads = true, now = () => 0 }: { leads?: boolean; now?: () => number } = {},
) =>
  createLeaseSweep({
    repository: { releaseExpired },
    inFlightIds: () => [],
    leads: () => leads,
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: { leasesExpired() {} },
    now,
  });

/**
 * Creates a sweep. `releaseAfter` advances its clock and then calls `release`. `asked` records, for each release, if it
 * includes unpublished rows.
 */
function startRecordedSweep(onAsked = () => {}) {
  const asked: (boolean | undefined)[] = [];
  let nowMs = 10_000;
  const sweep = startSweep(
    async ({ unpublished }) => {
      asked.push(unpublished);
      onAsked();
      return 0;
    },
    { now: () => nowMs },
  );
  const releaseAfter = (ms: number) => {
    nowMs += ms;
    return sweep.release(new Date());
  };
  return { asked, sweep, releaseAfter };
}

test('after a lost reply, sweeps release unpublished rows until one succeeds at least 12 s later', async () => {
  let isAvailable = true;
  const { asked, sweep, releaseAfter } = startRecordedSweep(() => {
    if (!isAvailable) throw new Error('Connection terminated unexpectedly');
  });
  await releaseAfter(0);
  sweep.replyLost();
  await releaseAfter(1_000);
  isAvailable = false;
  await releaseAfter(11_500);
  isAvailable = true;
  await releaseAfter(1_000);
  await releaseAfter(1_000);
  expect(asked).toEqual([false, true, true, true, false]);
});

test('a sweep 12 s after a lost reply is the last one that releases unpublished queued rows', async () => {
  const { asked, sweep, releaseAfter } = startRecordedSweep();
  sweep.replyLost();
  for (const ms of [11_999, 1, 1]) await releaseAfter(ms);
  expect(asked).toEqual([true, true, false]);
});

test('sweeps release lost claims until one succeeds at least 12 s after the last lost reply', async () => {
  const lost: unknown[] = [];
  let nowMs = 10_000;
  const release = async ({ lostClaims }: { lostClaims?: string[] }) => {
    lost.push(lostClaims);
    return 0;
  };
  const sweep = startSweep(release, { now: () => nowMs });
  sweep.replyLost('first');
  await sweep.release(new Date());
  nowMs += 11_000;
  sweep.replyLost('second');
  for (const ms of [1_000, 11_000, 1_000]) {
    nowMs += ms;
    await sweep.release(new Date());
  }
  expect(lost).toEqual([['first'], ['first', 'second'], ['first', 'second'], []]);
});

test('a sweep skips deliveries in flight, has a time limit, and counts the rows it releases', async () => {
  const options: object[] = [];
  const counts = [3, 0];
  const counted: number[] = [];
  const logged: unknown[] = [];
  const sweep = createLeaseSweep({
    repository: {
      async releaseExpired(given) {
        options.push(given);
        const count = counts.shift();
        if (count === undefined) throw new Error('no database');
        return count;
      },
    },
    inFlightIds: () => ['a', 'b'],
    leads: () => true,
    logger: { warn: (...line: unknown[]) => logged.push(line) } as unknown as Logger,
    metrics: { leasesExpired: (count) => counted.push(count) },
    now: () => 0,
  });
  const releaseBy = new Date(5_000);
  for (let call = 0; call < 3; call += 1) await sweep.release(releaseBy);
  expect(options).toEqual(
    Array(3).fill({ inFlight: ['a', 'b'], releaseBy, unpublished: false, lostClaims: [] }),
  );
  expect([counted, logged]).toEqual([
    [3],
    [
      [{ count: 3 }, 'leases.released'],
      [{ err: new Error('no database') }, 'leases.postponed'],
    ],
  ]);
});

test('release does nothing while another sweep is running', async () => {
  const ends: (() => void)[] = [];
  const sweep = startSweep(() => new Promise((resolve) => ends.push(() => resolve(0))));
  const first = sweep.release(new Date());
  await sweep.release(new Date());
  ends[0]!();
  await first;
  void sweep.release(new Date());
  expect(ends).toHaveLength(2);
});

test('a worker that is not the leader runs every tenth sweep, and each sweep after a lost reply', async () => {
  let releases = 0;
  const sweep = startSweep(
    async () => {
      releases += 1;
      return 0;
    },
    { leads: false },
  );
  for (let call = 0; call < 20; call += 1) await sweep.release(new Date());
  expect(releases).toBe(2);
  sweep.replyLost();
  await sweep.release(new Date());
  expect(releases).toBe(3);
});

test('if a reply is lost during a sweep, the next sweep also releases unpublished queued rows', async () => {
  const { asked, sweep, releaseAfter } = startRecordedSweep(() => {
    if (asked.length === 1) sweep.replyLost();
  });
  sweep.replyLost();
  for (const ms of [13_000, 0]) await releaseAfter(ms);
  expect(asked).toEqual([true, true]);
});
