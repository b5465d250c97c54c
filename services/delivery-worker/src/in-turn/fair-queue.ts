/** A queue that is served in turn by key: each key's items in their order, and no key before its turn. */
export interface FairQueue<T> {
  add(item: T): void;
  /** The next `count` items, fewer where there are not so many. */
  take(count: number): T[];
  size(): number;
}

/** What has been taken stays at the front of a key's items until it is this much: shifting a long array copies it. */
const compactAt = 1_024;

export function createFairQueue<T>(keyOf: (item: T) => string): FairQueue<T> {
  const byKey = new Map<string, { items: T[]; next: number }>();
  let size = 0;

  const takeOne = (key: string): T => {
    const line = byKey.get(key)!;
    const item = line.items[line.next]!;
    line.next += 1;
    size -= 1;
    // To the end of the round, or out of it.
    byKey.delete(key);
    if (line.next < line.items.length) byKey.set(key, line);
    if (line.next === compactAt) {
      line.items = line.items.slice(compactAt);
      line.next = 0;
    }
    return item;
  };
  return {
    add(item) {
      const key = keyOf(item);
      const line = byKey.get(key);
      if (line === undefined) byKey.set(key, { items: [item], next: 0 });
      else line.items.push(item);
      size += 1;
    },
    take(count) {
      const taken: T[] = [];
      for (let left = Math.min(count, size); left > 0; left -= 1) {
        const [key] = byKey.keys();
        taken.push(takeOne(key!));
      }
      return taken;
    },
    size: () => size,
  };
}
