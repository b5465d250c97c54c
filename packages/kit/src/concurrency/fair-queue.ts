/** A queue that is served round robin by key. The items of one key keep their order. */
export interface FairQueue<T> {
  add(item: T): void;
  /** Removes and returns the next `count` items, or all of them if there are fewer. */
  take(count: number): T[];
  size(): number;
}

/**
 * Number of removed items at which the array of a key is compacted. `Array.shift` is not used, because it would copy a
 * long array for each item.
 */
const compactAt = 1_024;

export function createFairQueue<T>(keyOf: (item: T) => string): FairQueue<T> {
  // The order of the map is the round-robin order: a key that was served is inserted again at the end.
  const byKey = new Map<string, { items: (T | undefined)[]; next: number }>();
  let size = 0;

  const takeOne = (key: string): T => {
    const queue = byKey.get(key)!;
    const item = queue.items[queue.next]!;
    // Without this line, the array would keep up to 1,023 removed items of each key in memory.
    queue.items[queue.next] = undefined;
    queue.next += 1;
    size -= 1;
    byKey.delete(key);
    if (queue.next < queue.items.length) byKey.set(key, queue);
    if (queue.next === compactAt) {
      queue.items = queue.items.slice(compactAt);
      queue.next = 0;
    }
    return item;
  };
  return {
    add(item) {
      const key = keyOf(item);
      const queue = byKey.get(key);
      if (queue === undefined) byKey.set(key, { items: [item], next: 0 });
      else queue.items.push(item);
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
