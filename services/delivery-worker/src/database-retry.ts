import { EventEmitter } from 'node:events';
import { classifyDatabaseError, isDatabaseUnavailable } from '@tocsin/database';
import {
  type BatcherOptions,
  createPromiseBatcher,
  exponentialBackoffMs,
  type Logger,
  type PromiseBatcher,
  retry,
} from '@tocsin/kit';

/**
 * Emits `unavailable` when a call starts to wait for the database while no other call waits. Emits `available` when no
 * call waits any longer.
 */
export type DatabaseAvailability = EventEmitter<{ unavailable: []; available: [] }>;

/**
 * An outage in which writes fail. `sinceMs` is its start on the monotonic clock of the process, in milliseconds, and
 * `error` is the latest error.
 */
export interface WriteFailure {
  sinceMs: number;
  error: unknown;
}

export interface DatabaseRetry {
  /**
   * Calls `work` again with a backoff while the database is unavailable and the worker is not stopping. A conflict is
   * retried immediately, up to ten times in a row. Any other error is thrown. `work` must be safe to repeat.
   */
  retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Creates a batcher for one database statement. While the database is unavailable, the whole batch is retried. After
   * any other error the batch is split, and an item that fails alone is retried with a backoff until it is committed or
   * the worker stops.
   */
  createBatcher<Item, Result>(options: DatabaseBatcherOptions<Item, Result>): PromiseBatcher<Item, Result>;
  availability: Pick<DatabaseAvailability, 'on'>;
  /**
   * Returns the start and the latest error of the current outage of the database, or undefined if no call waits for the
   * database.
   */
  failure(): WriteFailure | undefined;
}

interface DatabaseBatcherOptions<Item, Result>
  extends Pick<
    BatcherOptions<Item, Result>,
    'maxSize' | 'concurrency' | 'gatherMs' | 'maxNextBatch' | 'onBatch'
  > {
  /**
   * Commits the items, and resolves to their results in the same order. After a lost reply it is called again, and
   * after an error it is called with smaller parts of the batch. A second call with the same items must therefore have
   * no further effect.
   */
  commit: BatcherOptions<Item, Result>['run'];
  /**
   * Returns the item to retry instead of an item whose value the database rejected. By default, the same item is
   * retried.
   */
  replaceInvalid?: (item: Item, error: unknown) => Item;
}

export interface DatabaseRetryDeps {
  logger: Logger;
  /** Signal that is aborted when the worker stops. */
  signal: AbortSignal;
}

const backoff = { firstMs: 50, maxMs: 2_000 };
const maxConflicts = 10;
/**
 * Number of consecutive failures of one item for which one line is logged. An item that keeps failing is retried about
 * every two seconds, so about one line a minute is logged.
 */
const retriesPerLogLine = 30;

export function createDatabaseRetry({ logger, signal }: DatabaseRetryDeps): DatabaseRetry {
  const availability: DatabaseAvailability = new EventEmitter();
  let waiting = 0;
  let failure: WriteFailure | undefined;

  const startWaiting = (err: unknown) => {
    waiting += 1;
    if (waiting > 1) return;
    failure = { sinceMs: performance.now(), error: err };
    logger.warn({ err }, 'database.unavailable');
    availability.emit('unavailable');
  };
  const stopWaiting = () => {
    waiting -= 1;
    if (waiting > 0) return;
    failure = undefined;
    logger.info({}, 'database.available');
    availability.emit('available');
  };
  const retryWhileUnavailable = async <T>(work: () => Promise<T>): Promise<T> => {
    let hasWaited = false;
    try {
      return await retry(() => retryConflicts(work), {
        shouldRetry: isDatabaseUnavailable,
        backoff: (failures) => exponentialBackoffMs(failures, backoff),
        signal,
        onRetry(error) {
          if (!hasWaited) startWaiting(error);
          hasWaited = true;
          if (failure !== undefined) failure.error = error;
        },
      });
    } finally {
      if (hasWaited) stopWaiting();
    }
  };
  return {
    retryWhileUnavailable,
    createBatcher({ commit, replaceInvalid = (item) => item, ...options }) {
      return createPromiseBatcher({
        ...options,
        run: (items) => retryWhileUnavailable(async () => (await commit(items)) ?? []),
        // `retryWhileUnavailable` rejects with an error of an unavailable database only when the worker stops. The whole
        // batch fails in this case.
        failsWholeBatch: isDatabaseUnavailable,
        retryItem(item, { error, failures }) {
          if (failures % retriesPerLogLine === 1) logger.warn({ err: error, failures }, 'database.postponed');
          return classifyDatabaseError(error) === 'invalid_value' ? replaceInvalid(item, error) : item;
        },
        signal,
      });
    },
    availability,
    failure: () => failure,
  };
}

/**
 * Retries up to ten times after a deadlock, a serialization failure or a duplicate key. The server has rolled back the
 * statement, so a retry is safe. No backoff is needed, because the retry waits for the locks of the transaction that
 * caused the conflict.
 */
function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  let conflicts = 0;
  return retry(work, {
    shouldRetry(error) {
      if (classifyDatabaseError(error) !== 'conflict') return false;
      conflicts += 1;
      return conflicts <= maxConflicts;
    },
    backoff: () => 0,
  });
}
