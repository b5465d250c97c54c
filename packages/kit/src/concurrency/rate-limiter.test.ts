import { createRateLimiter } from './rate-limiter.js';

const startMs = 1_000_000_000;

function limiterOf(perMinute: number, maxKeys = 100) {
  const clock = { nowMs: startMs };
  const limiter = createRateLimiter({ perMinute, maxKeys, now: () => clock.nowMs });
  return Object.assign(clock, {
    consume: (key = 'a', units?: number) => limiter.consume(key, units),
    refund: (units: number) => limiter.refund('a', units),
  });
}

test('a key can use its whole rate limit in one burst, independently of other keys', () => {
  const limiter = limiterOf(30);
  for (let n = 0; n < 30; n += 1) expect(limiter.consume()).toEqual({ allowed: true });
  expect(limiter.consume().allowed).toBe(false);
  expect(limiter.consume('b')).toEqual({ allowed: true });
});

test.each([[1], [7], [30], [1_200]])(
  'a rate limit of %i a minute is never exceeded in 60 s, and at least 90 % of it can be used',
  (perMinute) => {
    const limiter = limiterOf(perMinute);
    const allowedAtMs: number[] = [];
    for (; limiter.nowMs < startMs + 600_000; limiter.nowMs += 137)
      for (let asked = 0; asked < 5; asked += 1)
        if (limiter.consume().allowed) allowedAtMs.push(limiter.nowMs);
    allowedAtMs.forEach((atMs, index) => {
      const later = allowedAtMs[index + perMinute];
      if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(60_000);
    });
    expect(allowedAtMs.length).toBeGreaterThanOrEqual(perMinute * 9);
  },
);

test.each([[1_200], [30_000]])(
  'a caller with a steady rate gets at least 99 % of a limit of %i a minute',
  (perMinute) => {
    const limiter = limiterOf(perMinute);
    let allowed = 0;
    for (let asked = 0; asked < perMinute * 60; asked += 1) {
      limiter.nowMs = startMs + (asked * 60_000) / perMinute;
      if (limiter.consume().allowed) allowed += 1;
    }
    expect(allowed).toBeGreaterThanOrEqual(perMinute * 60 * 0.99);
  },
);

test.each([[0], [250], [499]])(
  'a rate limit that was used up in one burst can be used again 61 s later (start at %i ms)',
  (atMs) => {
    const limiter = limiterOf(30);
    limiter.nowMs += atMs;
    for (let n = 0; n < 30; n += 1) limiter.consume();
    limiter.nowMs += 61_000;
    for (let n = 0; n < 30; n += 1) expect(limiter.consume().allowed).toBe(true);
  },
);

test('a rejected key is allowed after the wait that its rejection states', () => {
  const limiter = limiterOf(2);
  for (let round = 0; round < 50; round += 1) {
    const decision = limiter.consume();
    if (decision.allowed) limiter.nowMs += 13_337;
    else {
      expect(decision.retryAfterSeconds).toBeLessThanOrEqual(61);
      limiter.nowMs += decision.retryAfterSeconds * 1_000;
      expect(limiter.consume().allowed).toBe(true);
    }
  }
});

test('rejected calls use no units and do not delay the next allowed call', () => {
  const limiter = limiterOf(1);
  limiter.consume();
  for (; limiter.nowMs < startMs + 60_000; limiter.nowMs += 100)
    expect(limiter.consume().allowed).toBe(false);
  limiter.nowMs = startMs + 61_000;
  expect(limiter.consume().allowed).toBe(true);
});

test('a key that was idle for a long time can use its whole limit again', () => {
  const limiter = limiterOf(3);
  for (let n = 0; n < 3; n += 1) limiter.consume();
  limiter.nowMs += 3_600_000;
  for (let n = 0; n < 3; n += 1) expect(limiter.consume().allowed).toBe(true);
  expect(limiter.consume().allowed).toBe(false);
});

test('above maxKeys keys, the least recently used key is forgotten and gets its limit again', () => {
  const limiter = limiterOf(1, 2);
  for (const key of ['a', 'b', 'c']) limiter.consume(key);
  expect(limiter.consume('c').allowed).toBe(false);
  expect(limiter.consume('a').allowed).toBe(true);
});

test('several units of a rate limit are consumed together or not at all', () => {
  const limiter = limiterOf(10);
  expect(limiter.consume('a', 11).allowed).toBe(false);
  expect(limiter.consume('a', 7).allowed).toBe(true);
  expect(limiter.consume('a', 4).allowed).toBe(false);
  expect(limiter.consume('a', 3).allowed).toBe(true);
  expect(limiter.consume().allowed).toBe(false);
});

test('a call for several units has to wait until enough used units are a minute old', () => {
  const limiter = limiterOf(10);
  limiter.consume('a', 2);
  limiter.nowMs += 20_000;
  limiter.consume('a', 8);
  const [one, two, three, tooMany] = [1, 2, 3, 11].map((units) => limiter.consume('a', units));
  expect(one).toMatchObject({ allowed: false, retryAfterSeconds: expect.closeTo(40, -0.5) });
  expect(two).toEqual(one);
  expect(three).toMatchObject({ allowed: false, retryAfterSeconds: expect.closeTo(60, -0.5) });
  expect(tooMany).toMatchObject({ allowed: false, retryAfterSeconds: expect.closeTo(60, -0.5) });
});

test('refunded units can be used again, and do not change the limit after a minute', () => {
  const limiter = limiterOf(10);
  limiter.consume('a', 10);
  limiter.nowMs += 5_000;
  limiter.refund(4);
  expect(limiter.consume('a', 5).allowed).toBe(false);
  expect(limiter.consume('a', 4).allowed).toBe(true);
  limiter.nowMs += 120_000;
  expect(limiter.consume('a', 11).allowed).toBe(false);
  expect(limiter.consume('a', 10).allowed).toBe(true);
});

test('the default clock of a rate limiter is the clock of the process', () => {
  const limiter = createRateLimiter({ perMinute: 1 });
  expect(limiter.consume('a')).toEqual({ allowed: true });
  const rejected = limiter.consume('a');
  expect(rejected).toMatchObject({ allowed: false, retryAfterSeconds: expect.closeTo(60, -0.5) });
});
