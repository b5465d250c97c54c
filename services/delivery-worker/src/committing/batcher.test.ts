import { createBatcher, createBatches } from './batcher.js';

test('each item gets the result at its own place, in batches that grow while the lanes are busy', async () => {
  const sizes: number[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const batcher = createBatcher<number, number>({
    run: async (items) => {
      await gate;
      return items.map((item) => item * 2);
    },
    maxSize: 100,
    lanes: 1,
    onBatch: (size) => sizes.push(size),
  });
  const first = batcher.add(1);
  await new Promise((resolve) => setImmediate(resolve));
  const rest = Array.from({ length: 150 }, (_, index) => batcher.add(index));
  open();
  expect(await first).toBe(2);
  expect(await Promise.all(rest)).toEqual(Array.from({ length: 150 }, (_, index) => index * 2));
  expect(sizes).toEqual([1, 100, 50]);
});

test('a batch that fails fails its own items only', async () => {
  const batcher = createBatcher<number, number>({
    run: async (items) => {
      if (items.includes(13)) throw new Error('no');
      return items;
    },
    maxSize: 1,
    lanes: 2,
  });
  const results = await Promise.allSettled([1, 13, 2].map((item) => batcher.add(item)));
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a second batch goes beside the first only when it is no smaller', async () => {
  const sizes: number[] = [];
  const batcher = createBatcher<number, number>({
    run: () => new Promise(() => {}),
    maxSize: 100,
    lanes: 2,
    onBatch: (size) => sizes.push(size),
  });
  const add = async (count: number) => {
    for (let item = 0; item < count; item += 1) void batcher.add(item);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await add(3);
  await add(2);
  expect(sizes).toEqual([3]);
  await add(1);
  expect(sizes).toEqual([3, 3]);
  await add(100);
  expect(sizes).toEqual([3, 3]);
});

test('what finds no room waits for it, and leaves in the order that it came', async () => {
  const batches: number[][] = [];
  let room = 0;
  const gathered = createBatches<number>({
    run: async (items) => void batches.push(items),
    maxSize: 100,
    lanes: 1,
    room: () => room,
  });
  for (let item = 0; item < 5; item += 1) gathered.add(item);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(batches).toEqual([]);
  room = 3;
  while (batches.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(batches).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
});

test('what nobody waits for is gathered between two batches, and a batch that is full as the last one ends does not wait', async () => {
  const gatherMs = 100;
  const left: { size: number; atMs: number }[] = [];
  const gathered = createBatches<number>({
    run: async (items) => void left.push({ size: items.length, atMs: performance.now() }),
    maxSize: 10,
    lanes: 1,
    gatherMs,
  });
  const add = async (count: number, batches: number) => {
    for (let item = 0; item < count; item += 1) gathered.add(item);
    while (left.length < batches) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  await add(1, 1);
  await add(4, 2);
  await add(25, 4);
  expect(left.slice(0, 4).map(({ size }) => size)).toEqual([1, 4, 10, 10]);
  // A timer may be a millisecond early by the other clock.
  expect(left[1]!.atMs - left[0]!.atMs).toBeGreaterThanOrEqual(gatherMs - 1);
});
