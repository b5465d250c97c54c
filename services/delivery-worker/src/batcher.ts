import { createTurns } from './turns.js';

/**
 * Gathers single requests into batches. A batch leaves when a lane is free, so that batches grow with the load and an
 * item alone waits for nobody. Results stand in the order of the items.
 */
export interface Batcher<Item, Result> {
  add(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result> {
  run: (items: Item[]) => Promise<Result[]>;
  /** Items of a batch at the most. */
  maxSize: number;
  /** Batches under way at once. */
  lanes: number;
  onBatch?: (size: number) => void;
  /** What waits is taken in turn by this; else in its order. */
  turnOf?: (item: Item) => string;
}

interface Entry<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { run, maxSize, lanes, onBatch = () => {}, turnOf = () => '' } = options;
  const waiting = createTurns<Entry<Item, Result>>(({ item }) => turnOf(item));
  let busy = 0;
  let scheduled = false;

  const runBatch = async (batch: Entry<Item, Result>[]): Promise<void> => {
    onBatch(batch.length);
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index]!);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const flush = () => {
    scheduled = false;
    while (waiting.size() > 0 && busy < lanes) {
      const batch = waiting.take(maxSize);
      busy += 1;
      runBatch(batch).finally(() => {
        busy -= 1;
        flush();
      });
    }
  };
  return {
    add: (item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.add({ item, resolve, reject });
        if (scheduled || busy >= lanes) return;
        scheduled = true;
        // One turn of the loop: what arrived in the same read of the socket goes together.
        setImmediate(flush);
      }),
  };
}
