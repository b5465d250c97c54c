import { createRateLimiter } from './rate-limiter.js';

test('a key may use its minute at once, then as fast as tokens come back', () => {
  let nowMs = 0;
  const limiter = createRateLimiter({ perMinute: 60, now: () => nowMs });
  for (let n = 0; n < 60; n += 1) expect(limiter.take('a')).toEqual({ allowed: true });
  expect(limiter.take('a')).toEqual({ allowed: false, retryAfterSeconds: 1 });
  expect(limiter.take('b')).toEqual({ allowed: true });
  nowMs = 999;
  expect(limiter.take('a').allowed).toBe(false);
  nowMs = 1_000;
  expect(limiter.take('a').allowed).toBe(true);
  expect(limiter.take('a').allowed).toBe(false);
});

test('the time to wait is told for slow limits too', () => {
  const limiter = createRateLimiter({ perMinute: 2, now: () => 0 });
  limiter.take('a');
  limiter.take('a');
  expect(limiter.take('a')).toEqual({ allowed: false, retryAfterSeconds: 30 });
});

test('being refused again and again does not push the next token away', () => {
  let nowMs = 0;
  const limiter = createRateLimiter({ perMinute: 1, now: () => nowMs });
  limiter.take('a');
  for (nowMs = 100; nowMs < 60_000; nowMs += 100) expect(limiter.take('a').allowed).toBe(false);
  nowMs = 60_001;
  expect(limiter.take('a').allowed).toBe(true);
});

test('many keys do not fill the memory', () => {
  const limiter = createRateLimiter({ perMinute: 1, maxKeys: 2, now: () => 0 });
  limiter.take('a');
  limiter.take('b');
  limiter.take('c');
  expect(limiter.take('c').allowed).toBe(false);
  expect(limiter.take('a').allowed).toBe(true);
});
