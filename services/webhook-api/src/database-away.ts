import { isDatabaseAway, isStatementTimeout } from '@tocsin/database';
import { AppError, type Route } from '@tocsin/kit';

/**
 * A route that answers 503 with Retry-After, instead of a bare 500, while the database cannot be reached or is too
 * busy to answer in time.
 */
export function withDatabaseAway<Principal>(route: Route<Principal>): Route<Principal> {
  const { access } = route;
  return {
    ...route,
    access:
      typeof access === 'string'
        ? access
        : { ...access, locate: (params, signal) => explainAway(async () => access.locate(params, signal)) },
    handler: (context) => explainAway(async () => route.handler(context)),
  };
}

async function explainAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isDatabaseAway(cause) && !isStatementTimeout(cause)) throw cause;
    throw new AppError(
      'unavailable',
      'The database does not answer now. Whether anything was changed is not known; try again.',
      {
        cause,
        retryAfterSeconds: 2,
      },
    );
  }
}
