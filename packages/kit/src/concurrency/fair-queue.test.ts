import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createFairQueue } from './fair-queue.js';

const keyOf = (item: string) => item[0]!;

test('a fair queue serves keys round robin, even if one key has many items', () => {
  const queue = createFairQueue(keyOf);
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) queue.add(item);
  expect(queue.take(4)).toEqual(['a1', 'b1', 'c1', 'a2']);
  queue.add('b2');
  expect(queue.take(10)).toEqual(['c2', 'a3', 'b2', 'a4']);
  expect(queue.size()).toBe(0);
  expect(queue.take(1)).toEqual([]);
});

test('a fair queue keeps the order of thousands of items of one key', () => {
  const queue = createFairQueue<number>(() => 'one');
  const expected = Array.from({ length: 5_000 }, (_, index) => index);
  for (const item of expected.slice(0, 3_000)) queue.add(item);
  const taken = queue.take(2_500);
  for (const item of expected.slice(3_000)) queue.add(item);
  expect(queue.size()).toBe(2_500);
  while (queue.size() > 0) taken.push(...queue.take(300));
  expect(taken).toEqual(expected);
});

test('a fair queue does not keep removed items in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const queue = createFairQueue<{ key: string }>(({ key }) => key);
  for (const key of ['a', 'b', 'a', 'b']) queue.add({ key });
  const removed = queue.take(2).map((item) => new WeakRef(item));
  // A target of a new WeakRef stays in memory until the current job ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(removed.map((item) => item.deref())).toEqual([undefined, undefined]);
  expect(queue.take(2)).toEqual([{ key: 'a' }, { key: 'b' }]);
});
