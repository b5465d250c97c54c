/** Returns one item of each key, in the order of the keys: the first, or a later one for which `wins` is true. */
export function uniqueBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
  wins: (item: Item, kept: Item) => boolean = () => false,
): Item[] {
  const kept = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    const other = kept.get(key);
    if (other === undefined || wins(item, other)) kept.set(key, item);
  }
  return [...kept.values()];
}
