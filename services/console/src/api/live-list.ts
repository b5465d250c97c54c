import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Paged } from '@tocsin/client/browser';

/** A list, newest entry first. It polls for new entries while the page is visible, and loads older pages on demand. */
export interface LiveList<T> {
  items: readonly T[];
  /** False until the first page has arrived. */
  isLoaded: boolean;
  error: Error | null;
  hasMore: boolean;
  /**
   * True if more new entries were added than one page holds, so that the newest page does not reach the loaded items.
   * `restart` loads the new entries.
   */
  hasNewer: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
  /** Discards the loaded items and loads the newest page. */
  restart(): void;
}

interface ListPart {
  /** Maximum number of entries in a page. */
  limit: number;
  /** Earliest time of the entries, ISO 8601. */
  since?: string;
}

export interface LiveListOptions<Entry, T> {
  queryKey: QueryKey;
  /** Lists the entries of the API, newest first. */
  list(query: ListPart, signal?: AbortSignal): Paged<Entry>;
  /** Returns the members that a row shows. Keeping whole entries of a long list would use too much memory. */
  toItem(entry: Entry): T;
  idOf(item: T): string;
  /** Returns the time by which the list is ordered, ISO 8601. */
  timeOf(item: T): string;
  /** Returns true while the item can still change. */
  isOpen(item: T): boolean;
  pollMs?: number;
}

/** Number of entries in the newest page, which is polled. */
export const newestPage = 30;
/** Every n-th poll fetches the newest page in full, because another person can redeliver a delivery that had ended. */
const pollsOfWholePage = 12;
/** Number of entries in a page that scrolling loads. Large pages need fewer requests. */
const olderPage = 200;

interface Loaded<Entry, T> {
  items: readonly T[];
  /** Iterator over the older pages; undefined until the user scrolls to the end of the newest page. */
  older: AsyncIterator<Entry[]> | undefined;
  hasMore: boolean;
  hasNewer: boolean;
  polls: number;
}

/**
 * Polls only the newest entries that can have changed, so the cost of an open page does not depend on how far it was
 * scrolled. Older pages are not refreshed.
 */
export function useLiveList<Entry, T>(options: LiveListOptions<Entry, T>): LiveList<T> {
  const { queryKey, list, toItem, pollMs = 5_000 } = options;
  const queryClient = useQueryClient();
  const pagesOf = (query: ListPart, signal?: AbortSignal) =>
    list(query, signal).pages()[Symbol.asyncIterator]();
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Loaded<Entry, T>> => {
      const known = queryClient.getQueryData<Loaded<Entry, T>>(queryKey);
      const polls = (known?.polls ?? 0) + 1;
      const items = (known?.items ?? []).slice(0, newestPage);
      const since = polls % pollsOfWholePage === 1 ? pageSince(items, options) : openSince(items, options);
      const part = { limit: newestPage, ...(since !== undefined && { since }) };
      const head = (await nextPage(pagesOf(part, signal))).map(toItem);
      const isFull = head.length >= newestPage;
      if (known === undefined)
        return { items: head, older: undefined, hasMore: isFull, hasNewer: false, polls };
      const merged = mergeNewest(known.items, { head, since }, options);
      const hasMore = known.hasMore && (isFull || since !== undefined);
      if (merged !== undefined) return { ...known, items: merged, hasMore, polls };
      // More entries were added than one page holds. If the user has scrolled, the loaded items are kept, so that the
      // user does not lose the position; `hasNewer` tells that newer entries exist.
      return known.older === undefined
        ? { items: head, older: undefined, hasMore: true, hasNewer: false, polls }
        : { ...known, hasNewer: true, polls };
    },
    refetchInterval: pollMs,
    // React Query's structural sharing would copy the data, and a copied iterator loses its position.
    structuralSharing: false,
  });
  const more = useMutation({
    mutationFn: async () => {
      const known = queryClient.getQueryData<Loaded<Entry, T>>(queryKey);
      const older = known?.older ?? pagesOf({ limit: olderPage });
      let added = 0;
      let hasMore = true;
      // The iterator starts at the newest entry, so its first pages can contain only entries that are already loaded.
      // The loop reads on until a page adds an entry.
      while (added === 0 && hasMore) {
        const page = (await nextPage(older)).map(toItem);
        hasMore = page.length >= olderPage;
        queryClient.setQueryData<Loaded<Entry, T>>(queryKey, (now) => {
          if (now === undefined || (now.older ?? older) !== older) {
            hasMore = false;
            return now;
          }
          const items = appendOlder(now.items, page, options);
          added = items.length - now.items.length;
          return { ...now, items, older, hasMore };
        });
      }
    },
  });
  const { data } = query;
  return {
    items: data?.items ?? [],
    isLoaded: data !== undefined,
    error: query.error ?? more.error,
    hasMore: data?.hasMore ?? false,
    hasNewer: data?.hasNewer ?? false,
    isLoadingMore: more.isPending,
    loadMore: () => {
      if (data?.hasMore && !more.isPending && !more.isError) more.mutate();
    },
    restart: () => {
      more.reset();
      void queryClient.resetQueries({ queryKey, exact: true });
    },
  };
}

/** Refetches the newest page of each list under the key in full, because ended entries have changed. */
export function refreshLists(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  queryClient.setQueriesData<object>({ queryKey }, (data) =>
    data !== undefined && 'polls' in data ? { ...data, polls: 0 } : data,
  );
  return queryClient.invalidateQueries({ queryKey });
}

/** Returns the next page, or an empty array after the last page. */
export async function nextPage<T>(pages: AsyncIterator<T[]>): Promise<T[]> {
  const { done, value } = await pages.next();
  return done === true ? [] : value;
}

type Order<T> = Pick<LiveListOptions<unknown, T>, 'idOf' | 'timeOf'>;

/**
 * Returns the time of the oldest open item in the newest page, or else of the newest item. Older entries cannot have
 * changed.
 */
export function openSince<T>(
  page: readonly T[],
  { timeOf, isOpen }: Pick<LiveListOptions<unknown, T>, 'timeOf' | 'isOpen'>,
): string | undefined {
  const oldestOpen = page.findLast(isOpen) ?? page[0];
  return oldestOpen === undefined ? undefined : timeOf(oldestOpen);
}

/**
 * Returns the time of the last entry of the newest page. Undefined if the list is shorter than a page and a poll must
 * therefore fetch the whole list.
 */
export function pageSince<T>(
  page: readonly T[],
  { timeOf }: Pick<LiveListOptions<unknown, T>, 'timeOf'>,
): string | undefined {
  const last = page[newestPage - 1];
  return last === undefined ? undefined : timeOf(last);
}

/**
 * Merges the newest page into the loaded items. An item within the time range of the page that is missing from the page
 * has left the list and is removed. Returns undefined if entries between the page and the loaded items are missing.
 */
export function mergeNewest<T>(
  known: readonly T[],
  /**
   * `head` is the newest page, and `since` the earliest time that its request selected. A page that is not full
   * contains all entries since that time.
   */
  { head, since }: { head: readonly T[]; since?: string | undefined },
  { idOf, timeOf }: Order<T>,
): T[] | undefined {
  const last = head.at(-1);
  if (last === undefined || head.length < newestPage)
    return since === undefined ? [...head] : [...head, ...known.filter((item) => timeOf(item) < since)];
  const oldest = timeOf(last);
  if (known[0] !== undefined && timeOf(known[0]) < oldest) return undefined;
  const ids = new Set(head.map(idOf));
  return [...head, ...known.filter((item) => timeOf(item) <= oldest && !ids.has(idOf(item)))];
}

/** Appends the items of a page that are older than the loaded items. */
export function appendOlder<T>(items: readonly T[], page: readonly T[], { idOf, timeOf }: Order<T>): T[] {
  const last = items.at(-1);
  if (last === undefined) return [...page];
  const ids = new Set(items.slice(-olderPage).map(idOf));
  return [...items, ...page.filter((item) => timeOf(item) <= timeOf(last) && !ids.has(idOf(item)))];
}
