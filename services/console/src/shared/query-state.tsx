import type { ReactNode } from 'react';
import { useLastError } from '../api/index.js';
import { Failure, Loading } from '../ui/index.js';

export interface QueryStateProps<T> {
  query: { data: T | undefined; error: Error | null; errorUpdateCount: number; refetch(): unknown };
  /** Name of the data, for example `the alert rules`. */
  what: string;
  children(data: T): ReactNode;
}

/**
 * Shows the data of a query, or a message that the query is loading or has failed. Loaded data stays visible if a later
 * poll fails.
 */
export function QueryState<T>({ query, what, children }: QueryStateProps<T>) {
  const { data, refetch } = query;
  const error = useLastError(query);
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what={what} />}
      {data !== undefined && children(data)}
    </>
  );
}
