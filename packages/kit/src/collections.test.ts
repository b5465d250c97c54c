import { groupBy, splitBySize, uniqueBy, withoutUndefined } from './collections.js';

const items = [
  { key: 'a', size: 1 },
  { key: 'b', size: 5 },
  { key: 'a', size: 3 },
  { key: 'b', size: 2 },
];
const keyOf = ({ key }: { key: string }) => key;

test('groupBy keeps the order of items in a group, and orders groups by their first items', () => {
  expect([...groupBy(items, keyOf)]).toEqual([
    ['a', [items[0], items[2]]],
    ['b', [items[1], items[3]]],
  ]);
});

test('uniqueBy keeps the first item of each key, in the order of the first items', () => {
  expect(uniqueBy(items, keyOf)).toEqual([items[0], items[1]]);
});

test('uniqueBy replaces an item by a later item for which isPreferred returns true', () => {
  expect(uniqueBy(items, keyOf, (item, kept) => item.size > kept.size)).toEqual([items[2], items[1]]);
});

test.each([
  ['no item', [], []],
  ['items that fill a part exactly', [3, 2, 1], [[3, 2], [1]]],
  ['an item above the limit between others', [1, 9, 1], [[1], [9], [1]]],
  ['an item above the limit at the start', [9, 5], [[9], [5]]],
])(
  'splitBySize fills parts up to the limit and gives a larger item its own part: %s',
  (_, sizes: number[], parts) => {
    expect(splitBySize(sizes, { sizeOf: (size) => size, maxSize: 5 })).toEqual(parts);
  },
);

test('withoutUndefined removes undefined members and keeps all other empty values', () => {
  const value = { gone: undefined, none: null, zero: 0, empty: '' };
  expect(Object.keys(withoutUndefined(value))).toEqual(['none', 'zero', 'empty']);
});
