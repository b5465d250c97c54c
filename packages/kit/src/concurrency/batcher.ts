import { exponentialBackoffMs } from './backoff.js';
import { createFairQueue } from './fair-queue.js';
import { createSemaphore } from './semaphore.js';
import { sleep } from './timeout.js';

export interface BatcherOptions<Item, Result> {
  /**
   * Processes a batch and returns the results in the order of the items. The function must process all items or none of
   * them, because a failed batch is run again in smaller parts.
   */
  run: (items: Item[]) => Promise<Result[]> | Promise<void>;
  /**
   * Called once for each item, with its result or with the error that rejects it. If `retryItem` has replaced the item
   * for a retry, and the retry has run, `item` is the replacement.
   */
  onSettled: (item: Item, end: PromiseSettledResult<Result>) => void;
  /** Maximum number of items in a batch. */
  maxSize: number;
  /**
   * Maximum number of batches in progress. Halves of failed batches and retries of single items do not count. While a
   * batch is in progress, the next one starts only when at least as many items wait as the last batch had. Without this
   * rule, batches would become small.
   */
  concurrency: number;
  /**
   * Minimum time between the starts of two batches, in milliseconds. A batch does not wait for this time if `maxSize`
   * items wait when it could start. Default: 0, so that a batch starts at once if none is in progress.
   */
  gatherMs?: number;
  /** Waiting items are served round robin by this key. Without it, they are served in the order of arrival. */
  keyOf?: (item: Item) => string;
  /**
   * Returns how many items may start now, for back-pressure; `waiting` is the number of waiting items. If the function
   * returns 0, it is called again 2 ms later. Default: no limit.
   */
  maxNextBatch?: (waiting: number) => number;
  onBatch?: (size: number) => void;
  /**
   * Called when a batch of one item has failed, unless `failsWholeBatch` returns true or the signal is aborted.
   * `failures` counts how often the item has failed alone. Returns the item that is run after a backoff, in a batch of
   * its own, or `undefined` to reject the item. Default: the item is rejected.
   */
  retryItem?: (item: Item, failure: { error: unknown; failures: number }) => Item | undefined;
  /**
   * Returns true for an error that no single item has caused, such as a lost connection. All items are then rejected
   * and the batch is not split.
   */
  failsWholeBatch?: (error: unknown) => boolean;
  /** After the signal is aborted, items that fail alone are rejected instead of retried. */
  signal?: AbortSignal;
}

export interface Batcher<Item> {
  add(item: Item): void;
  /** Number of items that wait for a batch. */
  waiting(): number;
  /** Rejects the items that wait for a batch. Batches in progress are finished. */
  rejectWaiting(error: unknown): void;
}

export interface PromiseBatcher<Item, Result> {
  add(item: Item): Promise<Result>;
}

/**
 * Maximum number of batches that run again at the same time: halves of a failed batch, and items that are retried
 * alone. If these batches wait for a database lock, they occupy only two connections of the database pool.
 */
const partsAtOnce = 2;
const startPollMs = 2;
const retryBackoff = { firstMs: 50, maxMs: 2_000 };

/**
 * Gathers items into batches that grow with the load: items that arrive while a batch is in progress form the next
 * batch. A failed batch is split in halves until the faulty items fail alone. Later batches do not wait for the
 * halves.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item> {
  const {
    maxSize,
    concurrency,
    gatherMs = 0,
    keyOf = () => '',
    maxNextBatch = () => maxSize,
    onBatch,
  } = options;
  const waiting = createFairQueue<Item>(keyOf);
  const attempt = createAttempts(options);
  let inProgress = 0;
  let lastSize = 0;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;

  const mayStart = () =>
    waiting.size() > 0 && (inProgress === 0 || (inProgress < concurrency && waiting.size() >= lastSize));
  const gatherLeftMs = () => (waiting.size() < maxSize ? startedAtMs + gatherMs - performance.now() : 0);
  const startAfter = (ms: number) => {
    isScheduled = true;
    setTimeout(start, ms);
  };
  const start = () => {
    isScheduled = false;
    while (mayStart()) {
      if (gatherMs > 0 && gatherLeftMs() > 0) return startAfter(gatherLeftMs());
      const size = Math.min(maxSize, maxNextBatch(waiting.size()));
      if (size === 0) return startAfter(startPollMs);
      const batch = waiting.take(size);
      inProgress += 1;
      lastSize = batch.length;
      startedAtMs = performance.now();
      onBatch?.(batch.length);
      void attempt(batch).then(() => {
        inProgress -= 1;
        if (!isScheduled) start();
      });
    }
  };
  return {
    add(item) {
      waiting.add(item);
      if (isScheduled || !mayStart()) return;
      isScheduled = true;
      // The start waits for `setImmediate`, so that all items from one read of a socket share a batch.
      setImmediate(start);
    },
    waiting: waiting.size,
    rejectWaiting(reason) {
      for (const item of waiting.take(waiting.size()))
        options.onSettled(item, { status: 'rejected', reason });
    },
  };
}

/**
 * Creates a batcher whose `add` returns a promise for the result of the item. `createBatcher` needs less memory when
 * tens of thousands of items wait.
 */
export function createPromiseBatcher<Item, Result>(
  options: Omit<BatcherOptions<Item, Result>, 'onSettled'>,
): PromiseBatcher<Item, Result> {
  const { run, keyOf, retryItem, ...rest } = options;
  const batcher = createBatcher<Entry<Item, Result>, Result>({
    ...rest,
    run: async (entries) => (await run(entries.map(({ item }) => item))) ?? [],
    onSettled: ({ resolve, reject }, end) =>
      end.status === 'fulfilled' ? resolve(end.value) : reject(end.reason),
    ...(keyOf && { keyOf: ({ item }) => keyOf(item) }),
    ...(retryItem && {
      retryItem: (entry, failure) => {
        const item = retryItem(entry.item, failure);
        return item === undefined ? undefined : { ...entry, item };
      },
    }),
  });
  return {
    add: (item) => new Promise<Result>((resolve, reject) => batcher.add({ item, resolve, reject })),
  };
}

interface Entry<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Returns a function that runs a batch once. If the run fails, the function starts runs for the two halves of the
 * batch, or for a single item that is to be retried, and does not wait for them. Items that are not retried are
 * rejected. The promise of the function itself never rejects.
 */
function createAttempts<Item, Result>(options: BatcherOptions<Item, Result>) {
  const { run, onSettled, retryItem = () => undefined, failsWholeBatch = () => false, signal } = options;
  const parts = createSemaphore({ permits: partsAtOnce });

  const attempt = async (items: Item[], failures = 0): Promise<void> => {
    let results: Result[];
    try {
      results = (await run(items)) ?? [];
    } catch (error) {
      if (failsWholeBatch(error)) reject(items, error);
      else if (items.length === 1) void retryOrReject(items[0]!, { error, failures: failures + 1 });
      else for (const half of halves(items)) void parts.run(() => attempt(half));
      return;
    }
    for (const [index, item] of items.entries())
      onSettled(item, { status: 'fulfilled', value: results[index]! });
  };
  const retryOrReject = async (item: Item, failure: { error: unknown; failures: number }) => {
    const next = signal?.aborted ? undefined : retryItem(item, failure);
    if (next !== undefined) await sleep(exponentialBackoffMs(failure.failures, retryBackoff), signal);
    if (next === undefined || signal?.aborted) return reject([item], failure.error);
    void parts.run(() => attempt([next], failure.failures));
  };
  const reject = (items: Item[], reason: unknown) => {
    for (const item of items) onSettled(item, { status: 'rejected', reason });
  };
  return attempt;
}

function halves<T>(items: T[]): [T[], T[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
