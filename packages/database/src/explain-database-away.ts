import { AppError } from '@tocsin/kit';
import { isDatabaseAway, isOutOfTime } from './errors.js';

/**
 * For `createHttpApp`: a database that cannot be reached, or does not answer in time, is 503 with Retry-After
 * instead of a bare 500.
 */
export function explainDatabaseAway(error: unknown): unknown {
  if (!isDatabaseAway(error) && !isOutOfTime(error)) return error;
  const detail = 'The database does not answer now. Whether anything was changed is not known; try again.';
  return new AppError('unavailable', detail, { cause: error, retryAfterSeconds: 2 });
}
