export interface SemaphoreOptions {
  permits: number;
  /** Maximum number of permits that one key can hold at a time. Default: all of them. */
  permitsPerKey?: number;
  /** Maximum number of callers that wait for a permit. Further callers are rejected at once. Default: no limit. */
  maxWaiting?: number;
  /** Maximum number of callers of one key that wait for a permit. Default: no limit. */
  maxWaitingPerKey?: number;
  /** Longest wait for a permit, in milliseconds. Default: no limit. */
  maxWaitMs?: number;
  /** Creates the error for a caller that gets no permit. */
  createError?: (reason: LimitReason) => Error;
}

/**
 * Reason why a caller gets no permit: `key` if the caller's key holds all permits that one key may hold, `total` in all
 * other cases.
 */
export type LimitReason = 'key' | 'total';

/** Releases the permit. A second call has no effect. */
type Release = () => void;

/**
 * A semaphore that is fair between keys. A released permit goes to the waiting key that holds the fewest permits and is
 * below its own limit. If several keys hold equally few permits, the permit goes to the caller that has waited longest.
 * The callers of one key are served in order of arrival.
 */
export interface Semaphore {
  /**
   * Waits for a permit.
   * @throws the error that `createError` returns, if the wait exceeds `maxWaitMs` or too many callers wait; the error
   *   that was passed to `close`, if the semaphore is closed
   */
  acquire(key?: string, options?: { maxWaitMs?: number }): Promise<Release>;
  /** Returns undefined if no permit is free now, or the semaphore is closed. */
  tryAcquire(key?: string): Release | undefined;
  /** Runs `work` while holding a permit. */
  run<T>(work: () => Promise<T>, key?: string): Promise<T>;
  /** Number of callers that wait for a permit. */
  waiting(): number;
  /** Rejects all waiting callers and all later calls of `acquire` with `error`. Permits in use stay valid. */
  close(error: Error): void;
}

interface Waiter {
  /** Position of the waiting caller in the order of arrival of the callers of all keys. */
  arrival: number;
  grant(): void;
  reject(error: Error): void;
}

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { permits, permitsPerKey = permits, createError = noPermitError } = options;
  const { maxWaiting = Infinity, maxWaitingPerKey = Infinity } = options;
  const held = new Map<string, number>();
  const waitersByKey = new Map<string, Set<Waiter>>();
  let heldInTotal = 0;
  let waiting = 0;
  let arrivals = 0;
  let closedWith: Error | undefined;

  const heldBy = (key: string) => held.get(key) ?? 0;
  const isFree = (key: string) => heldInTotal < permits && heldBy(key) < permitsPerKey;
  const rejection = (key: string) => createError(heldBy(key) >= permitsPerKey ? 'key' : 'total');

  const take = (key: string): Release => {
    heldInTotal += 1;
    held.set(key, heldBy(key) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      heldInTotal -= 1;
      if (heldBy(key) === 1) held.delete(key);
      else held.set(key, heldBy(key) - 1);
      grantNext();
    };
  };

  const grantNext = () => {
    let next: Waiter | undefined;
    let fewest = Infinity;
    for (const [key, waiters] of waitersByKey) {
      if (!isFree(key)) continue;
      const waiter: Waiter = waiters.values().next().value!;
      const heldByKey = heldBy(key);
      if (heldByKey > fewest || (heldByKey === fewest && waiter.arrival > next!.arrival)) continue;
      next = waiter;
      fewest = heldByKey;
    }
    next?.grant();
  };

  const wait = (key: string, maxWaitMs: number): Promise<Release> => {
    const waiters = waitersByKey.get(key) ?? new Set();
    if (waiting >= maxWaiting || waiters.size >= maxWaitingPerKey) return Promise.reject(rejection(key));
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const leave = () => {
        clearTimeout(timer);
        waiting -= 1;
        waiters.delete(waiter);
        if (waiters.size === 0) waitersByKey.delete(key);
      };
      const waiter: Waiter = {
        arrival: arrivals++,
        grant() {
          leave();
          resolve(take(key));
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      if (maxWaitMs !== Infinity) timer = setTimeout(() => waiter.reject(rejection(key)), maxWaitMs).unref();
      waiting += 1;
      waiters.add(waiter);
      waitersByKey.set(key, waiters);
    });
  };

  const semaphore: Semaphore = {
    async acquire(key = '', { maxWaitMs = options.maxWaitMs ?? Infinity } = {}) {
      if (closedWith !== undefined) throw closedWith;
      return isFree(key) ? take(key) : wait(key, maxWaitMs);
    },
    tryAcquire: (key = '') => (closedWith === undefined && isFree(key) ? take(key) : undefined),
    async run(work, key) {
      const release = await semaphore.acquire(key);
      try {
        return await work();
      } finally {
        release();
      }
    },
    waiting: () => waiting,
    close(error) {
      closedWith = error;
      for (const waiters of [...waitersByKey.values()])
        for (const waiter of [...waiters]) waiter.reject(error);
    },
  };
  return semaphore;
}

function noPermitError(reason: LimitReason): Error {
  return new Error(`No permit became free in time (limit: ${reason}).`);
}
