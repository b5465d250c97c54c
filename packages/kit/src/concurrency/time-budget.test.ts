import { createTimeBudget } from './time-budget.js';

function setUp() {
  const clock = { ms: 5_000 };
  const budget = createTimeBudget({ share: 0.1, burstMs: 1_000, now: () => clock.ms });
  return { clock, ...budget };
}

test('a key can use its burst of time at once, and is then rejected until enough time has passed', () => {
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

test('in the long run, a key uses no more than its share of a thread', () => {
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
