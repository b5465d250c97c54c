import type { CallOptions, Page, Paged } from '@tocsin/client/browser';

export interface ListPart {
  /** Maximum number of entries in a page. */
  limit: number;
  /** Earliest time of the entries, ISO 8601. */
  since?: string;
}

export interface ListSource<Entry, T> {
  /** Requests entries from the API, newest first. */
  list(query: ListPart, options?: CallOptions): Pick<Paged<Entry>, 'firstPage'>;
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
}

type Order<T> = Pick<ListSource<unknown, T>, 'idOf' | 'timeOf'>;

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
 * Assumed maximum time by which the clock of the browser is ahead of the clock of the API, in milliseconds. The start
 * of a poll is a time of the browser, and the times of entries are times of the API. `changedSince` therefore goes back
 * by this tolerance from the start of the previous poll.
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

/** The loaded part of a list. */
export interface ListData<Entry, T> {
  /** All loaded entries, newest first. No entry between the first and the last one is missing. */
  items: readonly T[];
  /**
   * Fetches the next older page. Undefined if no older entries exist. The first older page starts at the newest entry of
   * the list, so it can contain entries that are already loaded.
   */
  next: (() => Promise<Page<Entry>>) | undefined;
  /** True after the user has scrolled to the end of the newest page. */
  hasScrolled: boolean;
  /** See `LiveList`. */
  hasNewer: boolean;
  /** Start of the latest poll whose entries are in `items`, in Unix milliseconds. */
  polledAtMs: number;
  /** Earliest time of the next poll of the whole newest page, in Unix milliseconds. */
  wholePageAtMs: number;
}

const nothing = {
  items: [],
  next: undefined,
  hasScrolled: false,
  hasNewer: false,
  polledAtMs: 0,
  wholePageAtMs: 0,
};

/** Reads and writes the loaded part of a list. */
export interface ListStore<Entry, T> {
  read(): ListData<Entry, T> | undefined;
  write(data: ListData<Entry, T>): void;
}

/**
 * Reads the newest entries that can have changed, and returns the loaded part of the list with these entries. The
 * function `send` sends the request of the poll. Its argument `mayShare` is false if the poll must not accept a response
 * that another user got earlier.
 */
export async function pollNewest<Entry, T>(
  store: ListStore<Entry, T>,
  source: ListSource<Entry, T>,
  send: (part: ListPart, options: { mayShare: boolean }) => Promise<Page<Entry>>,
): Promise<ListData<Entry, T>> {
  const before: ListData<Entry, T> = store.read() ?? nothing;
  const polledAtMs = Date.now();
  const isWhole = polledAtMs >= before.wholePageAtMs;
  const page = before.items.slice(0, newestPage);
  const from = isWhole ? pageSince(page, source) : changedSince(page, before.polledAtMs, source);
  const since = from === undefined ? source.since : laterOf(from, source.since);
  // `refreshLists` sets `wholePageAtMs` to 0 after an action of the user. The next poll then accepts no shared response,
  // because a response that another user got earlier may not show the result of the action.
  const mayShare = before.wholePageAtMs > 0;
  const { items, next } = await send(
    { limit: newestPage, ...(since !== undefined && { since }) },
    { mayShare },
  );
  const newest = { items: items.map(source.toItem), hasNext: next !== undefined, since: from && since };
  const restMs = Math.max(wholePageMs, (Date.now() - polledAtMs) * restFactor);
  // Older pages can have arrived during the poll, so the loaded part is read again.
  const known: ListData<Entry, T> = store.read() ?? nothing;
  const wholePageAtMs = isWhole ? Date.now() + restMs : known.wholePageAtMs;
  const merged = mergeNewest(known.items, newest, source);
  // More entries were added than one page holds. If the user has scrolled, the loaded items are kept, so that the user
  // does not lose the position; `hasNewer` shows that newer entries exist.
  if (merged === undefined && known.hasScrolled && known.items.length > 0)
    return { ...known, hasNewer: true, wholePageAtMs };
  const firstOlder = () => source.list({ limit: olderPage }).firstPage();
  const times = { polledAtMs, wholePageAtMs };
  if (merged === undefined) return { ...nothing, items: newest.items, next: firstOlder, ...times };
  const hasMore = newest.since === undefined ? newest.hasNext : known.next !== undefined;
  return {
    ...known,
    items: merged,
    next: hasMore ? (known.next ?? firstOlder) : undefined,
    hasNewer: false,
    ...times,
  };
}

/** Loads older pages until at least one entry is added or the list ends. */
export async function loadOlder<Entry, T>(
  store: ListStore<Entry, T>,
  source: ListSource<Entry, T>,
): Promise<void> {
  const before = store.read();
  if (before?.next === undefined) return;
  store.write({ ...before, hasScrolled: true });
  const page = await before.next();
  const known = store.read();
  // The list was loaded again in the meantime, so the page may not continue it.
  if (known?.next !== before.next) return;
  const items = appendOlder(known.items, page.items.map(source.toItem), source);
  store.write({ ...known, items, next: page.next });
  if (items.length === known.items.length) await loadOlder(store, source);
}

/**
 * Returns the start of the time range for a poll that does not read the whole page. If the page has open items at most
 * 23 hours older than the previous poll, this is the time of the oldest one. Otherwise it is the later of two times:
 * the time of the newest item, if there is one, and 10 minutes before the previous poll, rounded down to a whole
 * minute. The previous poll has read all older entries.
 */
export function changedSince<T>(
  page: readonly T[],
  previousPollMs: number,
  { timeOf, isOpen }: Pick<ListSource<unknown, T>, 'timeOf' | 'isOpen'>,
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
  { timeOf }: Pick<ListSource<unknown, T>, 'timeOf'>,
): string | undefined {
  const last = page[newestPage - 1];
  return last === undefined ? undefined : timeOf(last);
}

/** Response to a poll. It contains all entries since `since`, or all entries of the list, unless `hasNext` is true. */
export interface NewestPage<T> {
  items: readonly T[];
  /** True if the list has entries between `since` and the last entry of the page. */
  hasNext: boolean;
  /** Earliest time that the request selected. Undefined if it selected all entries of the list. */
  since?: string | undefined;
}

/**
 * Merges the newest page into the loaded items. A loaded item is removed if it is in the time range of the page but not
 * in the page, because it no longer matches the filter. Returns undefined if entries between the page and the loaded
 * items can be missing.
 */
export function mergeNewest<T>(
  known: readonly T[],
  { items, hasNext, since }: NewestPage<T>,
  { idOf, timeOf }: Order<T>,
): T[] | undefined {
  const last = items.at(-1);
  if (!hasNext || last === undefined)
    return since === undefined ? [...items] : [...items, ...known.filter((item) => timeOf(item) < since)];
  const oldest = timeOf(last);
  const ids = new Set(items.map(idOf));
  const [first] = known;
  if (first === undefined || (timeOf(first) <= oldest && !known.some((item) => ids.has(idOf(item)))))
    return undefined;
  return [...items, ...known.filter((item) => timeOf(item) <= oldest && !ids.has(idOf(item)))];
}

/** Appends the items of a page that are older than the loaded items. */
export function appendOlder<T>(items: readonly T[], page: readonly T[], { idOf, timeOf }: Order<T>): T[] {
  const last = items.at(-1);
  if (last === undefined) return [...page];
  const ids = new Set(items.slice(-olderPage).map(idOf));
  return [...items, ...page.filter((item) => timeOf(item) <= timeOf(last) && !ids.has(idOf(item)))];
}
