import { isStatementTimeout } from '@tocsin/database';
import { AppError, createSemaphore, type LimitReason } from '@tocsin/kit';

/** What one search may cost the database, in milliseconds. */
export const searchTimeoutMs = 5_000;

/**
 * Searches through history, whose cost is known when they end. So many run at a time, and half of those for one
 * workspace: the other connections are for those who look something up, publishing before all.
 */
export interface Searches {
  /**
   * `workspaceId` is null for the whole deployment.
   * @throws AppError `too_many_requests` or `unavailable` where no place becomes free; `unavailable` where the search
   *   runs into its time limit, saying how to ask for less
   */
  run<T>(workspaceId: string | null, search: () => Promise<T>): Promise<T>;
}

export function createSearches({ databasePoolSize }: { databasePoolSize: number }): Searches {
  const permits = Math.max(1, Math.floor(databasePoolSize * 0.4));
  const permitsPerKey = Math.ceil(permits / 2);
  const semaphore = createSemaphore({ permits, permitsPerKey, maxWaitMs: 3_000, createError: refusal });
  return {
    run: (workspaceId, search) =>
      semaphore.run(async () => {
        try {
          return await search();
        } catch (cause) {
          throw isStatementTimeout(cause) ? tookTooLong(cause) : cause;
        }
      }, workspaceId ?? 'deployment'),
  };
}

function refusal(reason: LimitReason): AppError {
  const retryAfterSeconds = 2;
  if (reason === 'total')
    return new AppError('unavailable', 'Too many searches are running; try again.', { retryAfterSeconds });
  const detail = 'Other searches of this workspace are still running.';
  return new AppError('too_many_requests', detail, { retryAfterSeconds });
}

function tookTooLong(cause: unknown): AppError {
  const detail = 'This search takes too long. Narrow its time range with since and until.';
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: 5 });
}
