import { exponentialBackoffMs, retry } from './backoff.js';

test('the backoff delay doubles with each failure up to its maximum', () => {
  const delays = [1, 2, 3, 4, 5].map((failures) =>
    exponentialBackoffMs(failures, { firstMs: 50, maxMs: 300, jitter: 0 }),
  );
  expect(delays).toEqual([50, 100, 200, 300, 300]);
});

test('jitter shortens a backoff delay even if the delay has reached its maximum', () => {
  const delays = [0, 0.5, 1].map((value) =>
    exponentialBackoffMs(9, { firstMs: 50, maxMs: 300, jitter: 0.5, random: () => value }),
  );
  expect(delays).toEqual([150, 225, 300]);
});

test('half of a backoff delay is random by default', () => {
  const delayOf = (value: number) =>
    exponentialBackoffMs(1, { firstMs: 100, maxMs: 300, random: () => value });
  expect([delayOf(0), delayOf(1)]).toEqual([50, 100]);
});

/** Creates work that fails a given number of times and then returns 'done'. */
function failing(times: number) {
  let calls = 0;
  return {
    calls: () => calls,
    work: async () => {
      calls += 1;
      if (calls <= times) throw new Error(`failure ${calls}`);
      return 'done';
    },
  };
}

test('failing work is retried until it succeeds', async () => {
  const { work, calls } = failing(3);
  const reported: unknown[] = [];
  const counts: number[] = [];
  const result = await retry(work, {
    shouldRetry: () => true,
    backoff: (failures) => {
      counts.push(failures);
      return failures === 1 ? 0 : 1;
    },
    onRetry: (error) => reported.push(String(error)),
  });
  expect([result, calls()]).toEqual(['done', 4]);
  expect(reported).toEqual(['Error: failure 1', 'Error: failure 2', 'Error: failure 3']);
  expect(counts).toEqual([1, 2, 3]);
});

test('an error is thrown without a further retry if shouldRetry returns false for it', async () => {
  const { work, calls } = failing(3);
  const shouldRetry = (error: unknown) => String(error).includes('failure 1');
  await expect(retry(work, { shouldRetry, backoff: () => 0 })).rejects.toThrow('failure 2');
  expect(calls()).toBe(2);
});

test('an aborted signal ends the delay before a retry, and the last error is thrown', async () => {
  const { work, calls } = failing(3);
  const stopping = new AbortController();
  const onRetry = () => setImmediate(() => stopping.abort());
  const retried = retry(work, {
    shouldRetry: () => true,
    backoff: () => 60_000,
    signal: stopping.signal,
    onRetry,
  });
  await expect(retried).rejects.toThrow('failure 1');
  expect(calls()).toBe(1);
});

test('a retry with a backoff of 0 ms starts at once, without a timer', async () => {
  const { work, calls } = failing(1);
  const retried = retry(work, { shouldRetry: () => true, backoff: () => 0 });
  for (let step = 0; step < 20; step += 1) await Promise.resolve();
  expect(calls()).toBe(2);
  expect(await retried).toBe('done');
});

test('work that fails after an abort is not retried, and onRetry is not called', async () => {
  const stopping = new AbortController();
  const onRetry = () => {
    throw new Error('reported');
  };
  const work = async () => {
    stopping.abort();
    throw new Error('failure');
  };
  const options = { shouldRetry: () => true, backoff: () => 0, signal: stopping.signal, onRetry };
  await expect(retry(work, options)).rejects.toThrow('failure');
});
