import { createPromiseBatcher } from '@tocsin/kit';

/**
 * Looks up ids in batches, one query at a time: the ids that arrive during a query share the next one. Lookups of
 * unknown callers use one database connection at most, however many there are.
 */
export function createBatchedLookup<T>(
  findAll: (ids: string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  const batcher = createPromiseBatcher<string, T | undefined>({
    run: async (ids) => {
      const found = await findAll([...new Set(ids)]);
      return ids.map((id) => found.get(id));
    },
    maxSize: Infinity,
    concurrency: 1,
    failsWholeBatch: () => true,
  });
  return batcher.add;
}
