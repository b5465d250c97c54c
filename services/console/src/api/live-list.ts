import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { CallOptions, Paged } from '@tocsin/client/browser';
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
  loadMore(): void;
  /** Discards the loaded items and loads the newest page. */
  restart(): void;
}

export interface ListPart {
  /** Maximum number of entries in a page. */
  limit: number;
  /** Earliest time of the entries, ISO 8601. */
  since?: string;
}

export interface LiveListOptions<Entry, T> {
  queryKey: QueryKey;
  /** Requests entries from the API, newest first. */
  list(query: ListPart, options?: CallOptions): Paged<Entry>;
  /**
   * Returns the item that the list keeps for an entry: only those members that the table row shows. A long list of
   * whole entries would use too much memory.
   */
  toItem(entry: Entry): T;
  idOf(item: T): string;
  /** Returns the time by which the list is ordered, ISO 8601. */
  timeOf(item: T): string;
  /** Returns true while the item can still change. */
  isOpen(item: T): boolean;
  /** Start time that the user has set as a filter, ISO 8601. Polls read no older entries. */
  since?: string | undefined;
  pollMs?: number;
}

/** Number of entries in the newest page. Polls read this page or a part of it. */
export const newestPage = 30;
/**
 * Minimum time between two regular polls of the whole newest page, in milliseconds. These polls also find changes of
 * ended entries that other polls do not read, for example the redelivery of a failed delivery by another person.
 */
const wholePageMs = 60_000;
/**
 * Minimum time from one poll of the whole page to the next one, as a multiple of the duration of the earlier poll. A
 * poll of the whole page can take long, because the API searches all days if few entries match the filter. With the
 * multiple of 50, these polls of an open page keep the API busy for at most 2 % of the time.
 */
const restFactor = 50;
/**
 * Maximum age of a response to another user that a poll accepts instead of a new one, as a fraction of the interval
 * between polls. If the interval is 5 s, the maximum age is 1 s.
 */
const maxAgePart = 0.2;
/**
 * Assumed maximum time by which the clock of the browser is ahead of the clock of the API, in milliseconds. The browser
 * measures the time of a poll, and the API sets the times of the entries. If no recent entry is open, a poll therefore
 * reads the entries since 10 minutes before the previous poll (rounded down to a whole minute), or only those since the
 * newest loaded entry if that time is later.
 */
const clockToleranceMs = 10 * 60_000;
/**
 * Maximum age of an open entry that each poll updates, in milliseconds. Older open entries are updated only by polls of
 * the whole page. All other polls therefore read at most the last 24 hours. For such a time range the API needs only
 * one SQL statement.
 */
const recentMs = 23 * 3_600_000;
/** Number of entries in each older page that is loaded when the user scrolls. A large page means fewer requests. */
const olderPage = 200;

interface Loaded<Entry, T> {
  items: readonly T[];
  /** Iterator over the older pages. Undefined until the user scrolls to the end of the newest page. */
  older: AsyncIterator<Entry[]> | undefined;
  hasMore: boolean;
  hasNewer: boolean;
  /** Start of the latest poll, in Unix milliseconds. */
  polledAt: number;
  /** Earliest time of the next poll of the whole newest page, in Unix milliseconds. */
  wholePageAt: number;
}

/**
 * Fetches and polls a list. Polls read only the newest entries that can have changed, so the cost of an open page does
 * not depend on the number of loaded entries. Older pages are not refreshed.
 */
export function useLiveList<Entry, T>(options: LiveListOptions<Entry, T>): LiveList<T> {
  const { queryKey, list, toItem, pollMs = 5_000 } = options;
  const queryClient = useQueryClient();
  const poll = useSharedPolls(Math.ceil((pollMs * maxAgePart) / 1_000));
  const pagesOf = (query: ListPart, callOptions?: CallOptions) =>
    list(query, callOptions).pages()[Symbol.asyncIterator]();
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Loaded<Entry, T>> => {
      const known = queryClient.getQueryData<Loaded<Entry, T>>(queryKey);
      const items = (known?.items ?? []).slice(0, newestPage);
      const polledAt = Date.now();
      const isWhole = known === undefined || polledAt >= known.wholePageAt;
      const from = isWhole ? pageSince(items, options) : changedSince(items, known.polledAt, options);
      const since = from === undefined ? options.since : laterOf(from, options.since);
      const part = { limit: newestPage, ...(since !== undefined && { since }) };
      // `refreshLists` sets `wholePageAt` to 0 after an action of the user. The next poll then accepts no shared
      // response, because a response that another user got earlier may not show the result of the action.
      const mayShare = known !== undefined && known.wholePageAt > 0;
      const page = await poll({ mayShare }, (maxAgeSeconds) =>
        nextPage(pagesOf(part, { signal, maxAgeSeconds })),
      );
      const head = page.map(toItem);
      const isFull = head.length >= newestPage;
      const restMs = Math.max(wholePageMs, (Date.now() - polledAt) * restFactor);
      const times = { polledAt, wholePageAt: isWhole ? Date.now() + restMs : known.wholePageAt };
      if (known === undefined)
        return { items: head, older: undefined, hasMore: isFull, hasNewer: false, ...times };
      const merged = mergeNewest(known.items, { head, since: from && since }, options);
      const hasMore = known.hasMore && (isFull || from !== undefined);
      if (merged !== undefined) return { ...known, items: merged, hasMore, ...times };
      // More entries were added than one page holds. If the user has scrolled, the loaded items are kept, so that the
      // user does not lose the position; `hasNewer` shows that newer entries exist.
      return known.older === undefined
        ? { items: head, older: undefined, hasMore: true, hasNewer: false, ...times }
        : { ...known, hasNewer: true, ...times };
    },
    refetchInterval: pollMs,
    // A user who returns to a page expects new entries at once, without waiting for the next poll.
    refetchOnMount: 'always',
    // Structural sharing compares old and new data item by item. That takes time without benefit, because each poll
    // replaces the data as a whole.
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

/**
 * Fetches the whole newest page again, for each list whose query key starts with `queryKey`. Called after a change that
 * can affect ended entries, which most polls do not read.
 */
export function refreshLists(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  queryClient.setQueriesData<object>({ queryKey }, (data) =>
    data !== undefined && 'wholePageAt' in data ? { ...data, wholePageAt: 0 } : data,
  );
  return queryClient.invalidateQueries({ queryKey });
}

/** Fetches only the first page of a list. */
export function firstPage<T>(list: Paged<T>): Promise<T[]> {
  return nextPage(list.pages()[Symbol.asyncIterator]());
}

/** Returns the next page, or an empty array after the last page. */
async function nextPage<T>(pages: AsyncIterator<T[]>): Promise<T[]> {
  const { done, value } = await pages.next();
  return done === true ? [] : value;
}

type Order<T> = Pick<LiveListOptions<unknown, T>, 'idOf' | 'timeOf'>;

/**
 * Returns the start of the time range that the next poll reads. If open items of the page are at most 23 hours older
 * than the previous poll, the range starts at the oldest of these items. Otherwise it starts at the newest item, or at
 * 10 minutes before the previous poll (rounded down to a whole minute) if that time is later, because the previous poll
 * has read all older entries.
 */
export function changedSince<T>(
  page: readonly T[],
  previousPollMs: number,
  { timeOf, isOpen }: Pick<LiveListOptions<unknown, T>, 'timeOf' | 'isOpen'>,
): string {
  const recent = isoTime(previousPollMs - recentMs);
  const oldestOpen = page.findLast((item) => isOpen(item) && timeOf(item) >= recent);
  if (oldestOpen !== undefined) return timeOf(oldestOpen);
  // The time is rounded down to a whole minute, so that the polls of several users have the same URL and share a
  // response.
  const checked = isoTime(Math.floor((previousPollMs - clockToleranceMs) / 60_000) * 60_000);
  const newest = page[0] === undefined ? checked : timeOf(page[0]);
  return newest > checked ? newest : checked;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Returns the later of two times in ISO 8601. If `filter`, the start time of the filter, is missing or invalid, returns
 * `time`. The filter can be invalid if the user has typed the address of the page.
 */
export function laterOf(time: string, filter: string | undefined): string {
  const filterMs = Date.parse(filter ?? '');
  return filterMs > Date.parse(time) ? isoTime(filterMs) : time;
}

/**
 * Returns the time of the last entry of the newest page. If the list has fewer entries than one page, returns
 * undefined, because the poll must then fetch the whole list.
 */
export function pageSince<T>(
  page: readonly T[],
  { timeOf }: Pick<LiveListOptions<unknown, T>, 'timeOf'>,
): string | undefined {
  const last = page[newestPage - 1];
  return last === undefined ? undefined : timeOf(last);
}

/**
 * Merges the newest page into the loaded items. A loaded item is removed if it is in the time range of the page but not
 * in the page, because it no longer matches the filter. Returns undefined if entries between the page and the loaded
 * items can be missing.
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
