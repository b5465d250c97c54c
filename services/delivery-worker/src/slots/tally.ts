/** Counts by key, and in all. */
export function createTally() {
  const counts = new Map<string, number>();
  let sum = 0;
  return {
    of: (key: string) => counts.get(key) ?? 0,
    sum: () => sum,
    /** Keys that have any. */
    size: () => counts.size,
    add(key: string, change: number) {
      sum += change;
      const count = (counts.get(key) ?? 0) + change;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}

export type Tally = ReturnType<typeof createTally>;
