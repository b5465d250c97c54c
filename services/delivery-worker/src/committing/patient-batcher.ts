import { classifyDatabaseError, isDatabaseUnavailable } from '@tocsin/database';
import { createLimit } from '../in-turn/limit.js';
import type { Batcher } from './batcher.js';
import { type BatchesOptions, createBatches } from './batches.js';
import { isAborted, type Patience } from './patience.js';

export interface PatientBatcherOptions<Item, Result>
  extends Pick<BatchesOptions<Item>, 'maxSize' | 'lanes' | 'gatherMs' | 'onBatch'> {
  patience: Patience;
  /** Commits all of them or none; safe to repeat. Results, where there are any, stand in the order of the items. */
  commit: (items: Item[]) => Promise<Result[]> | Promise<void>;
  /** What to commit in place of the one item that has a value which the database refuses. */
  mended?: (item: Item, error: unknown) => Item;
}

interface Entry<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** A batch that fails is tried again in so many parts. */
const parts = 4;
/** Parts that are tried at once. Each may wait for a lock with a connection in its hand. */
const partsAtOnce = 2;

/**
 * Gathers items into batches and commits each item in the end, whatever fails meanwhile; only a worker that is told to
 * stop gives up. While the database is away a batch waits whole. After any other error it leaves its lane, so that those
 * behind it go on, and is tried again in ever smaller parts: a row that somebody has locked, or a value that is refused,
 * soon waits alone.
 */
export function createPatientBatcher<Item, Result>(
  options: PatientBatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { patience, commit, mended, ...rest } = options;
  const limit = createLimit(partsAtOnce);

  const settle = async (batch: Entry<Item, Result>[], failures: number): Promise<void> => {
    try {
      const items = batch.map(({ item }) => item);
      const results = await patience.untilAnswered(
        async () => (await commit(items)) ?? [],
        isDatabaseUnavailable,
      );
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      void postpone(batch, { error, failures: failures + 1 });
    }
  };
  const postpone = async (
    batch: Entry<Item, Result>[],
    { error, failures }: { error: unknown; failures: number },
  ): Promise<void> => {
    const goesOn = await patience.rest(error, failures);
    const [first] = batch;
    const isLast = batch.length === 1;
    if (!goesOn && (isLast || isDatabaseUnavailable(error) || isAborted(error))) {
      for (const { reject } of batch) reject(error);
      return;
    }
    if (isLast && mended !== undefined && classifyDatabaseError(error) === 'invalid_value')
      first!.item = mended(first!.item, error);
    for (const part of split(batch)) void limit.run(() => settle(part, failures));
  };

  const batches = createBatches<Entry<Item, Result>>({ ...rest, run: (batch) => settle(batch, 0) });
  return {
    add: (item) => new Promise<Result>((resolve, reject) => batches.add({ item, resolve, reject })),
  };
}

function split<T>(batch: T[]): T[][] {
  const size = Math.ceil(batch.length / parts);
  return Array.from({ length: Math.ceil(batch.length / size) }, (_, index) =>
    batch.slice(index * size, (index + 1) * size),
  );
}
