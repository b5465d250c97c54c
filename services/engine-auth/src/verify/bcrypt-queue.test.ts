import { createBcryptQueue } from './bcrypt-queue.js';

test('a bcrypt hash matches only its secret and has cost 9', async () => {
  const bcrypt = createBcryptQueue();
  const hash = await bcrypt.hash('secret');
  expect(hash).toMatch(/^\$2b\$09\$/);
  expect(await bcrypt.compare('secret', hash, 'k')).toBe(true);
  expect(await bcrypt.compare('Secret', hash, 'k')).toBe(false);
});

test('a bcrypt call fails with the code unavailable if the maximum number of calls waits', async () => {
  const bcrypt = createBcryptQueue({ concurrency: 1, maxWaiting: 2 });
  const hash = await bcrypt.hash('x');
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, (_, key) => bcrypt.compare('x', hash, `k${key}`)),
  );
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  const detail = 'Too many keys are being checked; try again.';
  expect(results[4]).toMatchObject({ reason: { code: 'unavailable', detail, retryAfterSeconds: 1 } });
  expect(await bcrypt.compare('x', hash, 'k')).toBe(true);
});

test('a new key is hashed before half of 50 waiting key checks have run', async () => {
  const bcrypt = createBcryptQueue({ concurrency: 1, maxWaiting: 100 });
  const hash = await bcrypt.hash('x');
  let checked = 0;
  const checks = Array.from({ length: 50 }, async (_, key) => {
    await bcrypt.compare('x', hash, `k${key}`);
    checked += 1;
  });
  await bcrypt.hash('y');
  expect(checked).toBeLessThan(25);
  await Promise.all(checks);
});

test('a failed bcrypt call releases its permit', async () => {
  const bcrypt = createBcryptQueue({ concurrency: 1, maxWaiting: 0 });
  await expect(bcrypt.compare(undefined as never, 'x', 'k')).rejects.toThrow();
  expect(await bcrypt.compare('x', 'x', 'k')).toBe(false);
});

test('each key can have one running and one waiting check; further checks of this key fail', async () => {
  const bcrypt = createBcryptQueue({ concurrency: 1, maxWaiting: 100 });
  const hash = await bcrypt.hash('x');
  const guesses = Array.from({ length: 20 }, () => bcrypt.compare('guess', hash, 'guessed'));
  const results = Promise.allSettled(guesses);
  expect(await bcrypt.compare('x', hash, 'other')).toBe(true);
  const statuses = (await results).map(({ status }) => status);
  expect(statuses).toEqual([...Array(2).fill('fulfilled'), ...Array(18).fill('rejected')]);
});

test('one hash runs and twenty wait; further calls fail, and each hash reports its duration', async () => {
  const durations: number[] = [];
  const startedAtMs = performance.now();
  const bcrypt = createBcryptQueue({ onDone: (seconds) => durations.push(seconds) });
  const hashes = Promise.allSettled(Array.from({ length: 25 }, () => bcrypt.hash('x')));
  expect(bcrypt.waiting()).toBe(20);
  const results = await hashes;
  const statuses = results.map(({ status }) => status);
  expect(statuses).toEqual([...Array(21).fill('fulfilled'), ...Array(4).fill('rejected')]);
  expect(results[24]).toMatchObject({ reason: { detail: 'Too many keys are being created; try again.' } });
  expect(bcrypt.waiting()).toBe(0);
  expect(durations).toHaveLength(21);
  // Hashes run one after the other, so their durations add up to no more than the whole time.
  const total = durations.reduce((sum, seconds) => sum + seconds, 0);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual((performance.now() - startedAtMs) / 1_000);
});
