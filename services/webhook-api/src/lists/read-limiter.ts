import { isStatementTimeout } from '@tocsin/database';
import { AppError, createSemaphore, type LimitReason } from '@tocsin/kit';

/** Time limit of a search with all its statements, in milliseconds. */
export const searchTimeoutMs = 5_000;

/**
 * Limits concurrent reads of long lists, so that the other database connections stay free for short reads, such as the
 * rule lookup of a published alert. One workspace can hold at most half of the permits, rounded up.
 */
export interface ReadLimiter {
  /**
   * Runs a read while holding a permit. `workspaceId` is null for a read of the whole deployment.
   * @throws AppError `too_many_requests` if the workspace uses all its permits for 3 s; `unavailable` if all permits
   *   are in use for 3 s, or if the read times out
   */
  run<T>(workspaceId: string | null, read: () => Promise<T>): Promise<T>;
  /**
   * Returns the pages of `pages`. A permit is held while a page is read, but not while the client receives the page.
   * The wait for the first permit is limited to 3 s, with the same errors as `run`. The wait for later permits is not
   * limited, because an error can no longer change the status of the response.
   */
  stream<Row>(workspaceId: string, pages: AsyncIterable<Row[]>): AsyncIterable<Row[]>;
}

export interface ReadLimiterOptions {
  databasePoolSize: number;
  /** Kind of the limited reads, for error messages. */
  reads: 'searches' | 'lists';
}

/**
 * Fraction of the database connections that one limiter can use; at least one connection. There are two limiters, for
 * searches and for lists. With three or more connections, at least a fifth of them therefore stays free for short
 * reads.
 */
const part = 0.4;

export function createReadLimiter({ databasePoolSize, reads }: ReadLimiterOptions): ReadLimiter {
  const permits = Math.max(1, Math.floor(databasePoolSize * part));
  const permitsPerKey = Math.ceil(permits / 2);
  const createError = (reason: LimitReason) => noPermit(reason, reads);
  const semaphore = createSemaphore({ permits, permitsPerKey, maxWaitMs: 3_000, createError });
  return {
    run: (workspaceId, read) =>
      semaphore.run(async () => {
        try {
          return await read();
        } catch (cause) {
          throw isStatementTimeout(cause) ? timedOut(cause, reads) : cause;
        }
      }, workspaceId ?? 'deployment'),

    async *stream(workspaceId, pages) {
      const iterator = pages[Symbol.asyncIterator]();
      try {
        for (let isFirst = true; ; isFirst = false) {
          const release = await semaphore.acquire(workspaceId, isFirst ? {} : { maxWaitMs: Infinity });
          const { done, value } = await iterator.next().finally(release);
          if (done) return;
          yield value;
        }
      } finally {
        await iterator.return?.();
      }
    },
  };
}

function noPermit(reason: LimitReason, reads: string): AppError {
  const options = { retryAfterSeconds: 2 };
  if (reason === 'total')
    return new AppError('unavailable', `Too many ${reads} are running; try again.`, options);
  return new AppError('too_many_requests', `Other ${reads} of this workspace are still running.`, options);
}

function timedOut(cause: unknown, reads: ReadLimiterOptions['reads']): AppError {
  const detail =
    reads === 'searches'
      ? 'This search takes too long. Narrow its time range with since and until.'
      : 'This list takes too long. Set a smaller limit.';
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: 5 });
}
