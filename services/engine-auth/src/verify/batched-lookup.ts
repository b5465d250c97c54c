/**
 * Looks keys up together: one question at a time, with all ids that came while the last one was answered. However many
 * strangers guess, they have one connection, and nobody waits for more than the question before.
 */
export function createBatchedLookup(
  findActiveHashes: (ids: string[]) => Promise<ReadonlyMap<string, string>>,
): (id: string) => Promise<string | undefined> {
  let next: { ids: Set<string>; hashes: Promise<ReadonlyMap<string, string>> } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const openBatch = () => {
    const ids = new Set<string>();
    const hashes = last.then(() => {
      next = undefined;
      return findActiveHashes([...ids]);
    });
    last = hashes.catch(() => {});
    return { ids, hashes };
  };

  return async (id) => {
    next ??= openBatch();
    next.ids.add(id);
    return (await next.hashes).get(id);
  };
}
