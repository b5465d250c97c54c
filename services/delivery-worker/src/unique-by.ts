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
