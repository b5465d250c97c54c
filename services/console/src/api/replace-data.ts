import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Replaces the cached data of a query by newer data, for example by the response to a change. A fetch in progress is
 * cancelled, because its response can be older and would replace the data.
 */
export async function replaceData(
  queryClient: QueryClient,
  queryKey: QueryKey,
  data: unknown,
): Promise<void> {
  await queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData(queryKey, data);
}
