import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * Returns the error of a query until its data arrives. React Query sets the error of a query without data to null while
 * the query is fetched again. Each poll would then remove the error message and show it again, so that screen readers
 * repeat it and its button loses the focus.
 */
export function useLastError({
  data,
  error,
  errorUpdateCount,
}: Pick<UseQueryResult, 'data' | 'error' | 'errorUpdateCount'>): Error | null {
  const [last, setLast] = useState(error);
  const isRepeated = data === undefined && error === null && errorUpdateCount > 0;
  if (!isRepeated && last !== error) setLast(error);
  return isRepeated ? last : error;
}
