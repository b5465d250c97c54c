import { isPartitionMissing } from '@tocsin/database';
import type { Patience } from './patience.js';

export interface SplittingOptions<Item, Result> {
  patience: Patience;
  /** Commits all of them or none; safe to repeat. Results stand in the order of the items. */
  commit: (items: Item[]) => Promise<Result[]>;
  /** What to do with the one item that the database refuses. */
  refused: (item: Item, error: unknown) => Promise<Result>;
}

/** Commits a batch. One value that the database refuses does not take the rest of its batch along: the batch is halved. */
export async function commitSplitting<Item, Result>(
  items: Item[],
  options: SplittingOptions<Item, Result>,
): Promise<Result[]> {
  const { patience, commit, refused } = options;
  try {
    return await patience.untilAnswered(() => commit(items));
  } catch (error) {
    if (!isBadValue(error)) throw error;
    if (items.length === 1) return [await refused(items[0]!, error)];
    const middle = Math.ceil(items.length / 2);
    const first = await commitSplitting(items.slice(0, middle), options);
    return [...first, ...(await commitSplitting(items.slice(middle), options))];
  }
}

/** Classes 22 and 23: the statement was understood, a value was not accepted. */
export function isBadValue(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^2[23]/.test(error.code) &&
    // Of the same class, and no value's fault.
    !isPartitionMissing(error)
  );
}
