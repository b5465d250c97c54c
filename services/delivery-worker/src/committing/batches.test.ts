import { createBatches } from './batches.js';

test('a second batch goes beside the first only when it is no smaller', async () => {
  const sizes: number[] = [];
  const batches = createBatches<number>({
    run: () => new Promise(() => {}),
    maxSize: 100,
    lanes: 2,
    onBatch: (size) => sizes.push(size),
  });
  const add = async (count: number) => {
    for (let item = 0; item < count; item += 1) batches.add(item);
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
