import { oneOfEach } from './one-of-each.js';

const items = [
  { key: 'a', size: 1 },
  { key: 'b', size: 5 },
  { key: 'a', size: 3 },
  { key: 'b', size: 2 },
];
const keyOf = ({ key }: { key: string }) => key;

test('the first of each key is kept, in the order of the keys', () => {
  expect(oneOfEach(items, keyOf)).toEqual([items[0], items[1]]);
});

test('or the one that wins', () => {
  expect(oneOfEach(items, keyOf, (item, kept) => item.size > kept.size)).toEqual([items[2], items[1]]);
});
