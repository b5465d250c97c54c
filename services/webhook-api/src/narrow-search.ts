import { isStatementTimeout } from '@tocsin/database';
import { AppError } from '@tocsin/kit';

/** What one search may cost the database, in milliseconds. */
export const searchTimeoutMs = 5_000;

/** Tells a caller whose search ran into its time limit how to ask for less. */
export async function explainSlowSearch<T>(search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (cause) {
    if (!isStatementTimeout(cause)) throw cause;
    throw new AppError(
      'unavailable',
      'This search takes too long. Narrow its time range with since and until.',
      {
        cause,
        retryAfterSeconds: 5,
      },
    );
  }
}
