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
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => bcrypt.hash('x')));
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(results[4]).toMatchObject({ reason: { code: 'unavailable', retryAfterSeconds: 1 } });
  await expect(bcrypt.hash('x')).resolves.toBeDefined();
});

test('a failure gives its place back', async () => {
  const bcrypt = createBoundedBcrypt({ concurrency: 1, maxWaiting: 0 });
  await expect(bcrypt.compare(undefined as never, 'x')).rejects.toThrow();
  await expect(bcrypt.hash('x')).resolves.toBeDefined();
});
