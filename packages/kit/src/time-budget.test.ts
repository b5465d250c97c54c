import { createTimeBudget } from './time-budget.js';

function setUp() {
  const clock = { ms: 5_000 };
  const budget = createTimeBudget({ share: 0.1, burstMs: 1_000, now: () => clock.ms });
  return { clock, ...budget };
}

test('a key may use its burst at once, and then waits until its share has paid', () => {
  const { clock, state, charge } = setUp();
  charge('a', 600);
  expect(state('a')).toEqual({ allowed: true });
  charge('a', 600);
  expect(state('a')).toEqual({ allowed: false, retryAfterSeconds: 2 });
  expect(state('b')).toEqual({ allowed: true });
  clock.ms += 2_001;
  expect(state('a')).toEqual({ allowed: true });
});

test('over a long time a key takes its share and no more', () => {
  const { clock, state, charge } = setUp();
  let usedMs = 0;
  for (const endMs = clock.ms + 600_000; clock.ms < endMs; clock.ms += 10) {
    if (!state('a').allowed) continue;
    charge('a', 300);
    usedMs += 300;
  }
  expect(usedMs).toBeGreaterThan(60_000);
  expect(usedMs).toBeLessThanOrEqual(60_000 + 1_300);
});
