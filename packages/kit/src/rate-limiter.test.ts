import { createRateLimiter } from './rate-limiter.js';

const startMs = 1_000_000_000;

function limiterOf(perMinute: number, maxKeys = 100) {
  const clock = { nowMs: startMs };
  const limiter = createRateLimiter({ perMinute, maxKeys, now: () => clock.nowMs });
  return Object.assign(clock, { take: (key = 'a') => limiter.take(key) });
}

test('a key may use its minute at once, and another key its own', () => {
  const limiter = limiterOf(30);
  for (let n = 0; n < 30; n += 1) expect(limiter.take()).toEqual({ allowed: true });
  expect(limiter.take().allowed).toBe(false);
  expect(limiter.take('b')).toEqual({ allowed: true });
});

test.each([[1], [7], [30], [1_200]])(
  '%i a minute is not exceeded in any minute, and reached in the long run',
  (perMinute) => {
    const limiter = limiterOf(perMinute);
    const allowedAtMs: number[] = [];
    for (; limiter.nowMs < startMs + 600_000; limiter.nowMs += 137)
      for (let asked = 0; asked < 5; asked += 1) if (limiter.take().allowed) allowedAtMs.push(limiter.nowMs);
    allowedAtMs.forEach((atMs, index) => {
      const later = allowedAtMs[index + perMinute];
      if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(60_000);
    });
    expect(allowedAtMs.length).toBeGreaterThanOrEqual(perMinute * 9);
  },
);

test.each([[1_200], [30_000]])('who asks %i times a minute gets 99 % of it', (perMinute) => {
  const limiter = limiterOf(perMinute);
  let allowed = 0;
  for (let asked = 0; asked < perMinute * 60; asked += 1) {
    limiter.nowMs = startMs + (asked * 60_000) / perMinute;
    if (limiter.take().allowed) allowed += 1;
  }
  expect(allowed).toBeGreaterThanOrEqual(perMinute * 60 * 0.99);
});

test.each([[0], [250], [499]])(
  'a minute that is used at once is back after 61 s (begun at %i ms)',
  (atMs) => {
    const limiter = limiterOf(30);
    limiter.nowMs += atMs;
    for (let n = 0; n < 30; n += 1) limiter.take();
    limiter.nowMs += 61_000;
    for (let n = 0; n < 30; n += 1) expect(limiter.take().allowed).toBe(true);
  },
);

test('who waits as long as is told is let in', () => {
  const limiter = limiterOf(2);
  for (let round = 0; round < 50; round += 1) {
    const decision = limiter.take();
    if (decision.allowed) limiter.nowMs += 13_337;
    else {
      expect(decision.retryAfterSeconds).toBeLessThanOrEqual(61);
      limiter.nowMs += decision.retryAfterSeconds * 1_000;
      expect(limiter.take().allowed).toBe(true);
    }
  }
});

test('being refused again and again does not push the time away', () => {
  const limiter = limiterOf(1);
  limiter.take();
  for (; limiter.nowMs < startMs + 60_000; limiter.nowMs += 100) expect(limiter.take().allowed).toBe(false);
  limiter.nowMs = startMs + 61_000;
  expect(limiter.take().allowed).toBe(true);
});

test('a key that was idle for long has its whole minute again', () => {
  const limiter = limiterOf(3);
  for (let n = 0; n < 3; n += 1) limiter.take();
  limiter.nowMs += 3_600_000;
  for (let n = 0; n < 3; n += 1) expect(limiter.take().allowed).toBe(true);
  expect(limiter.take().allowed).toBe(false);
});

test('many keys do not fill the memory', () => {
  const limiter = limiterOf(1, 2);
  for (const key of ['a', 'b', 'c']) limiter.take(key);
  expect(limiter.take('c').allowed).toBe(false);
  expect(limiter.take('a').allowed).toBe(true);
});
