import { uniqueBy } from './unique-by.js';

const items = [
  { key: 'a', size: 1 },
  { key: 'b', size: 5 },
  { key: 'a', size: 3 },
  { key: 'b', size: 2 },
];
const keyOf = ({ key }: { key: string }) => key;

test('uniqueBy keeps the first item of each key, in the order of the first items', () => {
  expect(uniqueBy(items, keyOf)).toEqual([items[0], items[1]]);
});

test('uniqueBy replaces an item by a later one that is preferred', () => {
  expect(uniqueBy(items, keyOf, (item, kept) => item.size > kept.size)).toEqual([items[2], items[1]]);
});
