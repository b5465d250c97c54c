import { setImmediate as nextTick } from 'node:timers/promises';
import { createSemaphore, type SemaphoreOptions } from './semaphore.js';

/** Creates a semaphore, and a list of the keys that got a permit, in order. */
function setUp(options: Partial<SemaphoreOptions> = {}) {
  const createError = (reason: string) => new Error(reason);
  const semaphore = createSemaphore({ permits: 3, permitsPerKey: 2, createError, ...options });
  const granted: string[] = [];
  const acquire = async (key: string) => {
    const release = await semaphore.acquire(key);
    granted.push(key);
    return release;
  };
  return { semaphore, acquire, granted };
}

test('the permits of a semaphore are limited in total and for each key', async () => {
  const { acquire, granted } = setUp();
  const [release] = await Promise.all([acquire('a'), acquire('a')]);
  const third = acquire('a');
  await acquire('b');
  expect(granted).toEqual(['a', 'a', 'b']);
  release!();
  // A second call of the same release function must not release another permit.
  release!();
  await third;
  const fourth = acquire('c');
  await nextTick();
  expect(granted).toEqual(['a', 'a', 'b', 'a']);
  (await third)();
  await fourth;
  expect(granted).toEqual(['a', 'a', 'b', 'a', 'c']);
});

test('a free permit goes to the waiting key that holds the fewest permits', async () => {
  const { acquire, granted } = setUp();
  const [, releaseB] = await Promise.all([acquire('a'), acquire('b'), acquire('b')]);
  const waiting = [acquire('b'), acquire('b'), acquire('a'), acquire('c')];
  // Only the last waiting caller gets a permit in this test. The rejections of the others are ignored.
  for (const one of waiting) one.catch(() => {});
  releaseB!();
  await waiting[3];
  expect(granted).toEqual(['a', 'b', 'b', 'c']);
});

test('the error after a timed-out wait says if the key or the total has reached its limit', async () => {
  const { acquire } = setUp({ maxWaitMs: 20 });
  await Promise.all([acquire('a'), acquire('a'), acquire('b')]);
  await expect(acquire('a')).rejects.toThrow('key');
  await expect(acquire('c')).rejects.toThrow('total');
});

test('a caller can set its own maximum wait for a permit', async () => {
  const { semaphore } = setUp({ permits: 1, maxWaitMs: 10 });
  const release = await semaphore.acquire('a');
  const unlimited = semaphore.acquire('b', { maxWaitMs: Infinity });
  await expect(semaphore.acquire('c')).rejects.toThrow('total');
  release();
  expect(await unlimited).toBeInstanceOf(Function);
});

test('a caller is rejected at once if too many callers wait, in total or for the same key', async () => {
  const { semaphore } = setUp({ permits: 1, permitsPerKey: 1, maxWaiting: 2, maxWaitingPerKey: 1 });
  const release = await semaphore.acquire('a');
  const waiting = [semaphore.acquire('a'), semaphore.acquire('b')];
  await expect(semaphore.acquire('a')).rejects.toThrow('key');
  await expect(semaphore.acquire('c')).rejects.toThrow('total');
  expect(semaphore.waiting()).toBe(2);
  release();
  for (const one of waiting) (await one)();
  expect(semaphore.waiting()).toBe(0);
});

test('callers without a key are served in order of arrival', async () => {
  const semaphore = createSemaphore({ permits: 2 });
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const runs = Array.from({ length: 6 }, (_, index) =>
    semaphore.run(async () => {
      started.push(index);
      await new Promise<void>((resolve) => finish.push(resolve));
    }),
  );
  await nextTick();
  expect(started).toEqual([0, 1]);
  finish[1]!();
  await runs[1];
  await nextTick();
  expect(started).toEqual([0, 1, 2]);
  for (let index = 0; index < 6; index += 1) {
    finish[index]!();
    await nextTick();
  }
  await Promise.all(runs);
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
});

test('work that fails releases its permit and rejects with its own error', async () => {
  const semaphore = createSemaphore({ permits: 1 });
  await expect(semaphore.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await semaphore.run(async () => 'done')).toBe('done');
});

test('a semaphore with thousands of callers never exceeds its permits', async () => {
  const semaphore = createSemaphore({ permits: 10 });
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await nextTick();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 3_000 }, () => semaphore.run(work)));
  expect([running, most]).toEqual([0, 10]);
});

test('tryAcquire returns a permit only while one is free', () => {
  const semaphore = createSemaphore({ permits: 1 });
  const release = semaphore.tryAcquire();
  expect(semaphore.tryAcquire()).toBeUndefined();
  release!();
  expect(semaphore.tryAcquire()).toBeDefined();
});

test('closing a semaphore rejects waiting and later callers, and permits in use stay valid', async () => {
  const semaphore = createSemaphore({ permits: 1 });
  const release = await semaphore.acquire();
  const waiting = [semaphore.acquire(), semaphore.acquire()];
  semaphore.close(new Error('stopping'));
  expect(await Promise.allSettled(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  release();
  await expect(semaphore.acquire()).rejects.toThrow('stopping');
  expect(semaphore.tryAcquire()).toBeUndefined();
});

test('among keys that hold equally many permits, the caller that has waited longest is served', async () => {
  const { semaphore, acquire, granted } = setUp({ permits: 1, permitsPerKey: 1 });
  let release = await semaphore.acquire('other');
  const waiting = ['a', 'b', 'a'].map(acquire);
  for (const one of waiting) {
    release();
    release = await one;
  }
  expect(granted).toEqual(['a', 'b', 'a']);
});
