import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Paged } from '@tocsin/client/browser';

/** A list, newest first, whose new entries appear while the page is visible and whose older pages load on demand. */
export interface LiveList<T> {
  items: readonly T[];
  /** False until the first page has arrived. */
  isLoaded: boolean;
  error: Error | null;
  hasMore: boolean;
  /** True: newer entries exist that cannot be joined to the items. `restart` shows them. */
  hasNewer: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
  /** Loads the list again from its newest entry on. */
  restart(): void;
}

interface ListPart {
  /** Entries of a page. */
  limit: number;
  /** Only entries of this time or later, ISO 8601. */
  since?: string;
}

export interface LiveListOptions<Entry, T> {
  queryKey: QueryKey;
  /** The list from its newest entry on. */
  list(query: ListPart, signal?: AbortSignal): Paged<Entry>;
  /** Keeps what a row shows. Whole entries of a long list would fill the memory. */
  toItem(entry: Entry): T;
  idOf(item: T): string;
  /** Time by which the list is ordered, ISO 8601. */
  timeOf(item: T): string;
  /** True while the item can change. */
  isOpen(item: T): boolean;
  pollMs?: number;
}

/** Entries of the newest page. */
export const newestPage = 30;
/** The newest page is fetched with every n-th poll, because an ended delivery can be redelivered elsewhere. */
const pollsOfWholePage = 6;
/** Entries of the pages that scrolling loads: few requests for a long way. */
const olderPage = 200;

interface Loaded<Entry, T> {
  items: readonly T[];
  /** Pages from the newest entry on, as they were when scrolling began. */
  older: AsyncIterator<Entry[]> | undefined;
  hasMore: boolean;
  hasNewer: boolean;
  polls: number;
}

/**
 * Polls what can have changed among the newest entries, so that an open page costs little, however far it was scrolled.
 * Older pages stay as they were loaded; a record shows the present state.
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
      const since = polls % pollsOfWholePage === 1 ? undefined : openSince(known?.items ?? [], options);
      const part = { limit: newestPage, ...(since !== undefined && { since }) };
      const head = (await nextPage(pagesOf(part, signal))).map(toItem);
      const isFull = head.length >= newestPage;
      if (known === undefined)
        return { items: head, older: undefined, hasMore: isFull, hasNewer: false, polls };
      const items = mergeNewest(known.items, { head, since }, options);
      const hasMore = known.hasMore && (isFull || since !== undefined);
      if (items !== undefined) return { ...known, items, hasMore, polls };
      // More came than a page holds. A list that was scrolled stays, because its reader is somewhere in it.
      return known.older === undefined
        ? { items: head, older: undefined, hasMore: true, hasNewer: false, polls }
        : { ...known, hasNewer: true, polls };
    },
    refetchInterval: pollMs,
    // The data holds an iterator, which must keep its identity.
    structuralSharing: false,
  });
  const more = useMutation({
    mutationFn: async () => {
      const known = queryClient.getQueryData<Loaded<Entry, T>>(queryKey);
      const older = known?.older ?? pagesOf({ limit: olderPage });
      let added = 0;
      let hasMore = true;
      // The first pages can hold known entries only.
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

/** Fetches the newest page of all lists below the key as a whole, because ended entries have changed. */
export function refreshLists(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  queryClient.setQueriesData<object>({ queryKey }, (data) =>
    data !== undefined && 'polls' in data ? { ...data, polls: 0 } : data,
  );
  return queryClient.invalidateQueries({ queryKey });
}

/** The next page of a list, empty at its end. */
export async function nextPage<T>(pages: AsyncIterator<T[]>): Promise<T[]> {
  const { done, value } = await pages.next();
  return done === true ? [] : value;
}

type Order<T> = Pick<LiveListOptions<unknown, T>, 'idOf' | 'timeOf'>;

/** Time from which on entries can be new or changed: that of the oldest open item of the newest page, or of the newest item. */
export function openSince<T>(
  items: readonly T[],
  { timeOf, isOpen }: Pick<LiveListOptions<unknown, T>, 'timeOf' | 'isOpen'>,
): string | undefined {
  const oldestOpen = items.slice(0, newestPage).findLast(isOpen) ?? items[0];
  return oldestOpen === undefined ? undefined : timeOf(oldestOpen);
}

/**
 * Puts the newest page in front of the known items and replaces those that it contains. Items in the page's time range
 * that it lacks have left the list. Returns undefined if entries between the page and the known items are missing.
 */
export function mergeNewest<T>(
  known: readonly T[],
  /** The page, and the time at which it ends unless it is full. */
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

/** Appends the items of a page that come after the known ones. */
export function appendOlder<T>(items: readonly T[], page: readonly T[], { idOf, timeOf }: Order<T>): T[] {
  const last = items.at(-1);
  if (last === undefined) return [...page];
  const ids = new Set(items.slice(-olderPage).map(idOf));
  return [...items, ...page.filter((item) => timeOf(item) <= timeOf(last) && !ids.has(idOf(item)))];
}
