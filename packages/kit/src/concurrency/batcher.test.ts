import { until } from '@tocsin/testing';
import { type BatcherOptions, createBatcher, createPromiseBatcher } from './batcher.js';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a batcher that doubles numbers. `run` gets the items of each batch and may throw. */
function doubling(
  run: (items: number[]) => void,
  options: Partial<Omit<BatcherOptions<number, number>, 'onSettled'>> = {},
) {
  return createPromiseBatcher<number, number>({
    run: async (items) => {
      run(items);
      return items.map((item) => item * 2);
    },
    maxSize: 200,
    concurrency: 1,
    ...options,
  });
}

/** Creates a batcher whose batches stay in progress until the test ends them. */
function collecting(options: Partial<BatcherOptions<number, number>> = {}) {
  const batches: { items: number[]; atMs: number; end: () => void }[] = [];
  const batcher = createBatcher<number, number>({
    run: (items) =>
      new Promise<number[]>((resolve) =>
        batches.push({ items, atMs: performance.now(), end: () => resolve([]) }),
      ),
    onSettled: () => {},
    maxSize: 100,
    concurrency: 1,
    ...options,
  });
  const add = (items: number[]) => items.forEach(batcher.add);
  return { batches, add, batcher };
}

test('items that arrive during a batch share the next batch, and each gets its own result', async () => {
  const sizes: number[] = [];
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const batcher = createPromiseBatcher<number, number>({
    run: async (items) => {
      await opened;
      return items.map((item) => item * 2);
    },
    maxSize: 100,
    concurrency: 1,
    onBatch: (size) => sizes.push(size),
  });
  const first = batcher.add(1);
  await turn();
  const others = upTo(150).map((item) => batcher.add(item));
  open();
  expect(await first).toBe(2);
  expect(await Promise.all(others)).toEqual(upTo(150).map((item) => item * 2));
  expect(sizes).toEqual([1, 100, 50]);
});

test('a second batch starts while one is running only if it is at least as large', async () => {
  const { batches, add } = collecting({ concurrency: 2 });
  const sizes = async () => {
    await turn();
    return batches.map(({ items }) => items.length);
  };
  add(upTo(3));
  await turn();
  add(upTo(2));
  expect(await sizes()).toEqual([3]);
  add(upTo(1));
  expect(await sizes()).toEqual([3, 3]);
  add(upTo(100));
  expect(await sizes()).toEqual([3, 3]);
});

test('items wait while maxNextBatch returns 0, and then start in order of arrival', async () => {
  let maxNextBatch = 0;
  const { batches, add } = collecting({ maxNextBatch: () => maxNextBatch });
  add(upTo(5));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(batches).toEqual([]);
  maxNextBatch = 3;
  await until('the first batch starts', () => batches.length === 1);
  batches[0]!.end();
  await until('the second batch starts', () => batches.length === 2);
  expect(batches.map(({ items }) => items)).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('a batch starts gatherMs after the previous batch, or at once if the batch is full', async () => {
  const gatherMs = 100;
  const { batches, add } = collecting({ maxSize: 10, gatherMs });
  const endAll = async (count: number) => {
    for (let index = batches.length; index < count; index += 1) {
      await until('the next batch starts', () => batches.length > index);
      batches[index]!.end();
      await turn();
    }
  };
  add(upTo(1));
  await endAll(1);
  add(upTo(4));
  await endAll(2);
  add(upTo(25));
  await endAll(4);
  expect(batches.slice(0, 4).map(({ items }) => items.length)).toEqual([1, 4, 10, 10]);
  // `setTimeout` can fire up to 1 ms early as measured by `performance.now()`.
  expect(batches[1]!.atMs - batches[0]!.atMs).toBeGreaterThanOrEqual(gatherMs - 1);
});

test('a batcher serves waiting items round robin by key', async () => {
  const { batches, add } = collecting({ maxSize: 3, keyOf: (item) => (item < 100 ? 'busy' : 'quiet') });
  add([1]);
  await turn();
  add([2, 3, 4, 5, 100]);
  batches[0]!.end();
  await until('the second batch starts', () => batches.length === 2);
  expect(batches[1]!.items).toEqual([2, 100, 3]);
});

test('rejectWaiting rejects waiting items but not a batch in progress', async () => {
  const ended: [number, string][] = [];
  const { batches, add, batcher } = collecting({
    maxSize: 1,
    onSettled: (item, { status }) => ended.push([item, status]),
  });
  add([1, 2, 3]);
  await turn();
  batcher.rejectWaiting(new Error('stopping'));
  batches[0]!.end();
  await turn();
  expect(ended).toEqual([
    [2, 'rejected'],
    [3, 'rejected'],
    [1, 'fulfilled'],
  ]);
});

test('a failed batch is split until only the faulty items are rejected', async () => {
  const batcher = doubling((items) => {
    if (items.includes(50) || items.includes(99)) throw new Error('refused');
  });
  const ends = await Promise.allSettled(upTo(100).map((item) => batcher.add(item)));
  expect(ends).toEqual(
    upTo(100).map((item) =>
      item === 50 || item === 99
        ? { status: 'rejected', reason: new Error('refused') }
        : { status: 'fulfilled', value: item * 2 },
    ),
  );
});

test('if an error fails the whole batch, all its items are rejected and the batch is not split', async () => {
  let runs = 0;
  const batcher = doubling(
    () => {
      runs += 1;
      throw new Error('unavailable');
    },
    { failsWholeBatch: () => true, retryItem: (item) => item },
  );
  const ends = await Promise.allSettled(upTo(20).map((item) => batcher.add(item)));
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(runs).toBe(1);
});

test('an item that is retried alone delays neither its batch nor later batches', async () => {
  let isLocked = true;
  const batcher = doubling(
    (items) => {
      if (isLocked && items.includes(77)) throw new Error('locked');
    },
    { retryItem: (item) => item },
  );
  const all = upTo(200).map((item) => batcher.add(item));
  const others = all.filter((_, index) => index !== 76);
  expect(await Promise.all(others)).toEqual(
    upTo(200)
      .filter((item) => item !== 77)
      .map((item) => item * 2),
  );
  expect(await batcher.add(300)).toBe(600);
  isLocked = false;
  expect(await all[76]).toBe(154);
});

test('an item that fails alone is replaced by the item that retryItem returns', async () => {
  const replaced: { item: number; failures: number }[] = [];
  const batcher = doubling(
    (items) => {
      if (items.includes(5)) throw new Error('refused');
    },
    {
      retryItem: (item, { failures }) => {
        replaced.push({ item, failures });
        return -item;
      },
    },
  );
  const results = await Promise.all(upTo(20).map((item) => batcher.add(item)));
  expect(results).toEqual(upTo(20).map((item) => (item === 5 ? -10 : item * 2)));
  expect(replaced).toEqual([{ item: 5, failures: 1 }]);
});

test('after an abort, a failed batch is split but an item that fails alone is not retried', async () => {
  const stopping = new AbortController();
  const batcher = doubling(
    (items) => {
      stopping.abort();
      if (items.includes(3)) throw new Error('timeout');
    },
    { retryItem: (item) => item, signal: stopping.signal },
  );
  const ends = await Promise.allSettled(upTo(20).map((item) => batcher.add(item)));
  const rejected = ends.flatMap(({ status }, index) => (status === 'rejected' ? [index + 1] : []));
  expect(rejected).toEqual([3]);
});

test('an abort ends the backoff before the retry of an item, and the item is rejected', async () => {
  const stopping = new AbortController();
  const batcher = doubling(
    () => {
      throw new Error('locked');
    },
    {
      retryItem: (item) => {
        setImmediate(() => stopping.abort());
        return item;
      },
      signal: stopping.signal,
    },
  );
  await expect(batcher.add(1)).rejects.toThrow('locked');
});
