import { type BatchesOptions, createBatches } from './batches.js';

/**
 * Gathers single requests into batches, each with a promise of its own. A batch that fails fails for all of them. Where
 * it may not, it is split, in one of two ways: fan-out tells of each message how it ended, so that what can never be
 * written is set aside (commitSplitting); what a delivery came to is owed, and tried until it is there
 * (createPatientBatcher).
 */
export interface Batcher<Item, Result> {
  add(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result>
  extends Pick<BatchesOptions<Item>, 'maxSize' | 'lanes' | 'gatherMs' | 'onBatch'> {
  /** Results, where there are any, stand in the order of the items. */
  run: (items: Item[]) => Promise<Result[]> | Promise<void>;
}

interface Entry<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { run, ...rest } = options;
  const batches = createBatches<Entry<Item, Result>>({
    ...rest,
    run: async (batch) => {
      try {
        const results = (await run(batch.map(({ item }) => item))) ?? [];
        batch.forEach(({ resolve }, index) => {
          resolve(results[index]!);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    },
  });
  return {
    add: (item) => new Promise<Result>((resolve, reject) => batches.add({ item, resolve, reject })),
  };
}
