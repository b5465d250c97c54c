import { getEventListeners } from 'node:events';
import { createWakeableSleep, sleep, withTimeout } from './timeout.js';

const never = new Promise<never>(() => {});

test('withTimeout settles with the result or the error of work that ends within the timeout', async () => {
  expect(await withTimeout(Promise.resolve('done'), { timeoutMs: 1_000 })).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('broken')), { timeoutMs: 1_000 })).rejects.toThrow(
    'broken',
  );
});

test('withTimeout rejects after the timeout with its own error or the error of createError', async () => {
  await expect(withTimeout(never, { timeoutMs: 1 })).rejects.toThrow('timed out after 1 ms');
  const createError = () => new TypeError('late');
  await expect(withTimeout(never, { timeoutMs: 1, createError })).rejects.toThrow(TypeError);
});

test('an aborted sleep ends early without an error', async () => {
  const startedAtMs = performance.now();
  const stopping = new AbortController();
  setImmediate(() => stopping.abort());
  await sleep(60_000, stopping.signal);
  await sleep(60_000, stopping.signal);
  expect(performance.now() - startedAtMs).toBeLessThan(30_000);
});

test('a wakeable sleep ends at its time, when it is woken, and when its signal is aborted', async () => {
  const { sleep: wait, wake } = createWakeableSleep();
  const stop = new AbortController();
  const startedAtMs = performance.now();
  await wait(5, stop.signal);
  for (let count = 0; count < 2; count += 1) {
    const waiting = wait(60_000, stop.signal);
    wake();
    await waiting;
  }
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  const waiting = wait(60_000, stop.signal);
  stop.abort();
  await waiting;
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});
