import { createBatcher } from './batcher.js';

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
