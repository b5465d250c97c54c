import { createTimeBudget } from './time-budget.js';

function setUp() {
  const clock = { ms: 5_000 };
  const budget = createTimeBudget({ share: 0.1, burstMs: 1_000, now: () => clock.ms });
  const work = (ms: number) => () => {
    clock.ms += ms;
    return ms;
  };
  return { clock, work, ...budget };
}

test('a key can use its whole burst at once, and is rejected until its charged time has fallen', () => {
  const { clock, check, waitMs, run, work } = setUp();
  run('a', work(600));
  expect(check('a')).toEqual({ allowed: true });
  expect(waitMs('a')).toBe(0);
  run('a', work(600));
  // 1,200 ms were charged. The charged time has fallen by 60 ms, a tenth of the duration of the second work.
  expect(check('a')).toEqual({ allowed: false, retryAfterSeconds: 2 });
  expect(waitMs('a')).toBe(1_400);
  expect(check('b')).toEqual({ allowed: true });
  clock.ms += 1_401;
  expect(check('a')).toEqual({ allowed: true });
});

test('in the long run, a key uses at most its share of the thread time', () => {
  const { clock, check, run, work } = setUp();
  let usedMs = 0;
  for (const endMs = clock.ms + 600_000; clock.ms < endMs; clock.ms += 10) {
    if (!check('a').allowed) continue;
    usedMs += run('a', work(300));
  }
  expect(usedMs).toBeGreaterThan(60_000);
  expect(usedMs).toBeLessThanOrEqual(60_000 + 1_300);
});

test('the duration of work is charged to its key, even if the work throws', () => {
  const { run, waitMs, work } = setUp();
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

test('a key that has used exactly its burst is allowed; above it, the least Retry-After is 1 s', () => {
  const { check, run, waitMs, work } = setUp();
  run('a', work(1_000));
  expect([check('a'), waitMs('a')]).toEqual([{ allowed: true }, 0]);
  run('a', work(1));
  expect(check('a')).toEqual({ allowed: false, retryAfterSeconds: 1 });
});
