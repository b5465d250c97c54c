import { createTimeBudget } from './time-budget.js';

function setUp() {
  const clock = { ms: 5_000 };
  const budget = createTimeBudget({ share: 0.1, burstMs: 1_000, now: () => clock.ms });
  return { clock, ...budget };
}

test('a key can use its whole burst at once, and is rejected until its charged time has fallen', () => {
  const { clock, check, waitMs, charge } = setUp();
  charge('a', 600);
  expect(check('a')).toEqual({ allowed: true });
  expect(waitMs('a')).toBe(0);
  charge('a', 600);
  expect(check('a')).toEqual({ allowed: false, retryAfterSeconds: 2 });
  expect(waitMs('a')).toBe(2_000);
  expect(check('b')).toEqual({ allowed: true });
  clock.ms += 2_001;
  expect(check('a')).toEqual({ allowed: true });
});

test('in the long run, a key uses at most its share of the thread time', () => {
  const { clock, check, charge } = setUp();
  let usedMs = 0;
  for (const endMs = clock.ms + 600_000; clock.ms < endMs; clock.ms += 10) {
    if (!check('a').allowed) continue;
    charge('a', 300);
    usedMs += 300;
  }
  expect(usedMs).toBeGreaterThan(60_000);
  expect(usedMs).toBeLessThanOrEqual(60_000 + 1_300);
});

test('the duration of work is charged to its key, even if the work throws', () => {
  const { clock, run, waitMs } = setUp();
  const work = (ms: number) => () => {
    clock.ms += ms;
    return ms;
  };
  expect(run('a', work(1_000))).toBe(1_000);
  const fail = () => {
    work(300)();
    throw new Error('failed');
  };
  expect(() => run('a', fail)).toThrow('failed');
  // 1,300 ms were charged. The first charge is 300 ms old, so the charged time has fallen by 30 ms (a tenth of 300 ms)
  // to 1,270 ms.
  expect(waitMs('a')).toBeCloseTo(2_700);
});

test('a key that has just used its whole burst is rejected with a Retry-After of one second', () => {
  const { check, waitMs, charge } = setUp();
  charge('a', 999);
  expect(check('a')).toEqual({ allowed: true });
  charge('a', 1);
  expect([check('a'), waitMs('a')]).toEqual([{ allowed: false, retryAfterSeconds: 1 }, 0]);
});
