/** Slots that workspaces share: each may have a part of what the others leave (docs/adr/0044). */
export function createPool(size: number) {
  const taken = createTally();
  /** What the others leave to a workspace, its own included. */
  const leftTo = (workspaceId: string) => size - taken.sum() + taken.of(workspaceId);
  return {
    add: taken.add,
    taken: taken.sum,
    leftTo,
    /** Whether a workspace may have one more, of `part` of what is left to it; its first in any case. */
    hasRoom(workspaceId: string, part: number) {
      const own = taken.of(workspaceId);
      return taken.sum() < size && (own === 0 || own < leftTo(workspaceId) * part);
    },
  };
}

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
