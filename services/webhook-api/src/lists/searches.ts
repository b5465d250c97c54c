import { isStatementTimeout } from '@tocsin/database';
import { AppError, type Gate, type Refusal } from '@tocsin/kit';

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

/** Of a pool's connections, those that may be searching. */
export function searchPlaces(poolSize: number): { places: number; placesOfKey: number; maxWaitMs: number } {
  const places = Math.max(1, Math.floor(poolSize * 0.4));
  return { places, placesOfKey: Math.ceil(places / 2), maxWaitMs: 3_000 };
}

export function createSearches(gate: Gate): Searches {
  return {
    async run(workspaceId, search) {
      const leave = await gate.enter(workspaceId ?? 'deployment', refuse);
      try {
        return await search();
      } catch (cause) {
        throw isStatementTimeout(cause) ? tookTooLong(cause) : cause;
      } finally {
        leave();
      }
    },
  };
}

function refuse(why: Refusal): AppError {
  const retryAfterSeconds = 2;
  if (why === 'all')
    return new AppError('unavailable', 'Too many searches are running; try again.', { retryAfterSeconds });
  const detail = 'Other searches of this workspace are still running.';
  return new AppError('too_many_requests', detail, { retryAfterSeconds });
}

function tookTooLong(cause: unknown): AppError {
  const detail = 'This search takes too long. Narrow its time range with since and until.';
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: 5 });
}
