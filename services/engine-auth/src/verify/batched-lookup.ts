/**
 * Looks keys up together: one question at a time, with all ids that came while the last one was answered. However many
 * strangers guess, they have one connection, and nobody waits for more than the question before.
 */
export function createBatchedLookup<T>(
  findAll: (ids: string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  let next: { ids: Set<string>; found: Promise<ReadonlyMap<string, T>> } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const openBatch = () => {
    const ids = new Set<string>();
    const found = last.then(() => {
      next = undefined;
      return findAll([...ids]);
    });
    last = found.catch(() => {});
    return { ids, found };
  };

  return async (id) => {
    next ??= openBatch();
    next.ids.add(id);
    return (await next.found).get(id);
  };
}
