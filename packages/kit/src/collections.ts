/** Groups items by their keys. The items of a key keep their order. Keys are in the order in which they first occur. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * Returns one item for each key, in the order in which the keys first occur: the first item, or a later one for which
 * `isPreferred` returns true.
 */
export function uniqueBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
  isPreferred: (item: Item, kept: Item) => boolean = () => false,
): Item[] {
  const kept = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    const other = kept.get(key);
    if (other === undefined || isPreferred(item, other)) kept.set(key, item);
  }
  return [...kept.values()];
}

/**
 * Splits items into parts whose sizes add up to at most `maxSize`. An item that is larger than `maxSize` has its own
 * part.
 */
export function splitBySize<Item>(
  items: Iterable<Item>,
  { sizeOf, maxSize }: { sizeOf: (item: Item) => number; maxSize: number },
): Item[][] {
  const parts: Item[][] = [];
  let sizeLeft = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (parts.length === 0 || size > sizeLeft) {
      parts.push([]);
      sizeLeft = maxSize;
    }
    parts.at(-1)!.push(item);
    sizeLeft -= size;
  }
  return parts;
}

/** Returns a copy of an object without the members whose value is undefined. */
export function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
