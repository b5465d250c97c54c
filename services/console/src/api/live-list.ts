import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useLastError } from './last-error.js';
import { type ListData, type ListSource, loadOlder, pollNewest } from './list-data.js';
import { useSharedPolls } from './shared-polls.js';

/** A list, newest entry first. It polls for new entries while the page is visible, and loads older pages on demand. */
export interface LiveList<T> {
  items: readonly T[];
  /** False until the first page has arrived. */
  isLoaded: boolean;
  error: Error | null;
  hasMore: boolean;
  /**
   * True if more new entries were added than one page holds, so that entries between the newest page and the loaded
   * items are missing. The list then shows only the loaded items. `restart` loads the newest page instead.
   */
  hasNewer: boolean;
  isLoadingMore: boolean;
  /** True if the latest attempt to load an older page failed. */
  hasLoadingMoreFailed: boolean;
  loadMore(): void;
  /** Repeats the failed request. The loaded items are kept. */
  retry(): void;
  /** Discards the loaded items and loads the newest page. */
  restart(): void;
}

export interface LiveListOptions<Entry, T> extends ListSource<Entry, T> {
  queryKey: QueryKey;
  pollMs?: number;
}

/**
 * Maximum age of a response to another user that a poll accepts instead of a new one, as a fraction of the interval
 * between polls. If the interval is 5 s, the maximum age is 1 s.
 */
const maxAgePart = 0.2;

/**
 * Fetches and polls a list. Polls read only the newest entries that can have changed, so the cost of an open page does
 * not depend on the number of loaded entries. Older pages are not refreshed.
 */
export function useLiveList<Entry, T>(options: LiveListOptions<Entry, T>): LiveList<T> {
  const { queryKey, list, pollMs = 5_000 } = options;
  const queryClient = useQueryClient();
  const poll = useSharedPolls(Math.ceil((pollMs * maxAgePart) / 1_000));
  const store = {
    read: () => queryClient.getQueryData<ListData<Entry, T>>(queryKey),
    write: (data: ListData<Entry, T>) => queryClient.setQueryData(queryKey, data),
  };
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      pollNewest(store, options, (part, { mayShare }) =>
        poll({ mayShare }, (maxAgeSeconds) => list(part, { signal, maxAgeSeconds }).firstPage()),
      ),
    refetchInterval: pollMs,
    // A user who returns to a page expects new entries at once, without waiting for the next poll.
    refetchOnMount: 'always',
    // Structural sharing compares old and new data item by item. That takes time without benefit, because each poll
    // replaces the data as a whole.
    structuralSharing: false,
  });
  // React Query resets a mutation when its key changes, so an error does not stay for another filter.
  const more = useMutation({ mutationKey: queryKey, mutationFn: () => loadOlder(store, options) });
  const { data } = query;
  const error = useLastError(query);
  const hasMore = data?.next !== undefined;
  return {
    items: data?.items ?? [],
    isLoaded: data !== undefined,
    error: error ?? more.error,
    hasMore,
    hasNewer: data?.hasNewer ?? false,
    isLoadingMore: more.isPending,
    hasLoadingMoreFailed: more.isError,
    loadMore: () => {
      if (hasMore && !more.isPending) more.mutate();
    },
    retry: () => {
      if (query.error === null && more.isError) more.mutate();
      else void query.refetch();
    },
    restart: () => {
      more.reset();
      void queryClient.resetQueries({ queryKey, exact: true });
    },
  };
}

/**
 * Polls each list whose query key starts with `queryKey`. A poll in progress is not repeated, because a search of the API
 * can take longer than the time to the next call.
 */
export function pollLists(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  return queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/**
 * Fetches the whole newest page again, for each list whose query key starts with `queryKey`. Called after a change that
 * can affect ended entries, which most polls do not read.
 */
export function refreshLists(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  queryClient.setQueriesData<unknown>({ queryKey }, (data: unknown) =>
    typeof data === 'object' && data !== null && 'wholePageAtMs' in data
      ? { ...data, wholePageAtMs: 0 }
      : data,
  );
  return queryClient.invalidateQueries({ queryKey });
}
