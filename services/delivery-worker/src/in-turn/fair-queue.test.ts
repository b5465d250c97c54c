import { createTurns } from './fair-queue.js';

const keyOf = (item: string) => item[0]!;

test('a key with many items does not make one with few wait', () => {
  const turns = createTurns(keyOf);
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) turns.add(item);
  expect(turns.take(4)).toEqual(['a1', 'b1', 'c1', 'a2']);
  turns.add('b2');
  expect(turns.take(10)).toEqual(['c2', 'a3', 'b2', 'a4']);
  expect(turns.size()).toBe(0);
  expect(turns.take(1)).toEqual([]);
});

test('a long line keeps its order', () => {
  const turns = createTurns<number>(() => 'one');
  const expected = Array.from({ length: 5_000 }, (_, index) => index);
  for (const item of expected.slice(0, 3_000)) turns.add(item);
  const taken = turns.take(2_500);
  for (const item of expected.slice(3_000)) turns.add(item);
  expect(turns.size()).toBe(2_500);
  while (turns.size() > 0) taken.push(...turns.take(300));
  expect(taken).toEqual(expected);
});
