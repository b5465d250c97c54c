import { classifyDatabaseError } from '@tocsin/database';
import { isCutShort, type Patience } from './patience.js';

export interface SplittingOptions<Item, Result> {
  patience: Patience;
  /** Commits all of them or none; safe to repeat. Results stand in the order of the items. */
  commit: (items: Item[]) => Promise<Result[]>;
}

/**
 * Commits a batch, and tells what became of each item. One that fails, whatever it fails with, does not take the rest of
 * its batch along: the batch is halved. Never rejects.
 */
export async function commitSplitting<Item, Result>(
  items: Item[],
  options: SplittingOptions<Item, Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const { patience, commit } = options;
  try {
    const results = await patience.untilAnswered(() => commit(items));
    return results.map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    if (items.length === 1 || isOfAll(reason)) return items.map(() => ({ status: 'rejected', reason }));
    const middle = Math.ceil(items.length / 2);
    const first = await commitSplitting(items.slice(0, middle), options);
    return [...first, ...(await commitSplitting(items.slice(middle), options))];
  }
}

/** The fault of none of them: each alone would fail with it too. */
function isOfAll(error: unknown): boolean {
  return isCutShort(error) || classifyDatabaseError(error) === 'missing_partition';
}
