import { createBoundedBcrypt } from './bounded-bcrypt.js';

test('a hash matches its secret only, and costs 9 rounds', async () => {
  const bcrypt = createBoundedBcrypt();
  const hash = await bcrypt.hash('secret');
  expect(hash).toMatch(/^\$2b\$09\$/);
  expect(await bcrypt.compare('secret', hash)).toBe(true);
  expect(await bcrypt.compare('Secret', hash)).toBe(false);
});

test('what waits is bounded: more is 503 at once, and later callers are served again', async () => {
  const bcrypt = createBoundedBcrypt({ concurrency: 1, maxWaiting: 2 });
  const hash = await bcrypt.hash('x');
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => bcrypt.compare('x', hash)));
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(results[4]).toMatchObject({ reason: { code: 'unavailable', retryAfterSeconds: 1 } });
  expect(await bcrypt.compare('x', hash)).toBe(true);
});

test('a key is made while as many are checked as may be', async () => {
  const bcrypt = createBoundedBcrypt({ concurrency: 1, maxWaiting: 100 });
  const hash = await bcrypt.hash('x');
  let checked = 0;
  const checks = Array.from({ length: 50 }, async () => {
    await bcrypt.compare('x', hash);
    checked += 1;
  });
  await bcrypt.hash('y');
  expect(checked).toBeLessThan(25);
  await Promise.all(checks);
});

test('a failure gives its place back', async () => {
  const bcrypt = createBoundedBcrypt({ concurrency: 1, maxWaiting: 0 });
  await expect(bcrypt.compare(undefined as never, 'x')).rejects.toThrow();
  expect(await bcrypt.compare('x', 'x')).toBe(false);
});
