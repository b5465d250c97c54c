import type { Page } from '@tocsin/client/browser';
import {
  appendOlder,
  changedSince,
  type ListData,
  type ListPart,
  laterOf,
  loadOlder,
  mergeNewest,
  newestPage,
  pageSince,
  pollNewest,
} from './list-data.js';

const { jest } = import.meta;

interface Item {
  id: string;
  at: string;
  status?: string;
}
const order = { idOf: ({ id }: Item) => id, timeOf: ({ at }: Item) => at };
const item = (minute: number, more: Partial<Item> = {}): Item => ({
  id: `id-${minute}`,
  at: new Date(minute * 60_000).toISOString(),
  ...more,
});
/** Returns one item for each minute from `newest` down to `oldest`, in the order of the API. */
const items = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => item(newest - index));

const full = (page: Item[]) => ({ items: page, hasNext: true });

test('a poll adds new entries in front of the loaded entries and removes no loaded entry', () => {
  const known = items(100, 1);
  expect(mergeNewest(known, full(items(103, 104 - newestPage)), order)).toEqual(items(103, 1));
});

test('an entry of the newest page replaces the loaded entry with the same id', () => {
  const page = items(100, 101 - newestPage).map((entry) => ({ ...entry, status: 'failed' }));
  const merged = mergeNewest(items(100, 1), full(page), order);
  expect(merged?.slice(0, newestPage)).toEqual(page);
  expect(merged).toHaveLength(100);
});

test('a loaded entry in the time range of the newest page is removed if the page lacks it', () => {
  const page = items(101, 1)
    .filter(({ id }) => id !== 'id-99')
    .slice(0, newestPage);
  expect(mergeNewest(items(100, 1), full(page), order)?.map(({ id }) => id)).not.toContain('id-99');
});

test('a page whose entries are all newer than the loaded ones cannot be merged if more follow', () => {
  expect(mergeNewest(items(100, 1), full(items(200, 201 - newestPage)), order)).toBeUndefined();
});

test('entries with equal times at the end of the newest page are neither lost nor repeated', () => {
  const sameTime = Array.from({ length: 2 * newestPage }, (_, index) => ({
    ...item(5),
    id: `same-${index}`,
  }));
  expect(mergeNewest(sameTime, full(sameTime.slice(0, newestPage)), order)).toEqual(sameTime);
  expect(mergeNewest([item(5)], full(sameTime.slice(0, newestPage)), order)).toBeUndefined();
});

test('a short newest page replaces the whole list only if no entries follow', () => {
  const page = items(100, 98);
  expect(mergeNewest(items(100, 1), { items: page, hasNext: false }, order)).toEqual(page);
  expect(mergeNewest(items(100, 1), full(page), order)).toEqual(items(100, 1));
});

test('an older page adds only entries that are older than the loaded ones', () => {
  expect(appendOlder(items(100, 51), items(103, 1), order)).toEqual(items(100, 1));
});

test('a poll with a start time replaces the entries since that time and keeps the older ones', () => {
  const page = [item(101), item(99, { status: 'succeeded' })];
  const newest = { items: page, hasNext: false, since: item(99).at };
  expect(mergeNewest(items(100, 1), newest, order)).toEqual([...page, ...items(98, 1)]);
});

const isOpen = ({ status }: Item) => status === 'waiting';
const since = (page: Item[], previousPoll: Item) =>
  changedSince(page, Date.parse(previousPoll.at), { ...order, isOpen });

test('a poll reads entries since the oldest open entry, or since the newest one if none is open', () => {
  const known = [...items(100, 98), item(97, { status: 'waiting' }), ...items(96, 1)];
  expect(since(known, item(101))).toBe(item(97).at);
  expect(since(items(100, 1), item(101))).toBe(item(100).at);
});

test('without open entries, a poll goes back to at most 11 minutes before the previous poll', () => {
  expect(since([item(100)], item(10_000))).toBe(item(9_990).at);
  expect(since([], item(10_000))).toBe(item(9_990).at);
});

test('a poll does not read back to an open entry that is older than 23 hours', () => {
  const known = [item(10_000), item(10, { status: 'waiting' })];
  expect(since(known, item(10_001))).toBe(item(10_000).at);
});

test('a poll reads no entries from before the start time of the filter', () => {
  expect(laterOf(item(5).at, undefined)).toBe(item(5).at);
  expect(laterOf(item(5).at, item(4).at)).toBe(item(5).at);
  expect(laterOf(item(5).at, '1970-01-01T01:06:00+01:00')).toBe(item(6).at);
  expect(laterOf(item(5).at, 'yesterday')).toBe(item(5).at);
});

test('a poll of the whole newest page has its last entry as start, or no start if it is not full', () => {
  expect(pageSince(items(100, 1), order)).toBe(item(101 - newestPage).at);
  expect(pageSince(items(newestPage - 1, 1), order)).toBeUndefined();
});

afterEach(() => jest.useRealTimers());

/**
 * Opens a list of the API. `entries` are its entries, which the tests change, and `pageSize` limits its pages. Each poll
 * is at the time of the newest entry.
 */
function openList(entries: Item[], pageSize = 1_000) {
  let data: ListData<Item, Item> | undefined;
  const api = { entries, fails: false };
  const pageFrom = ({ limit, since = '' }: ListPart, start = 0): Page<Item> => {
    const all = api.entries.filter(({ at }) => at >= since);
    const end = start + Math.min(limit, pageSize);
    const next = async () => {
      if (api.fails) throw new Error('lost');
      return pageFrom({ limit, since }, end);
    };
    return { items: all.slice(start, end), next: end < all.length ? next : undefined };
  };
  const store = { read: () => data, write: (written: typeof data) => (data = written) };
  const source = {
    ...order,
    list: (query: ListPart) => ({ firstPage: async () => pageFrom(query) }),
    toItem: (entry: Item) => entry,
    isOpen,
  };
  const poll = async (during: () => Promise<void> = async () => {}) => {
    jest.useFakeTimers({ now: Date.parse(api.entries[0]?.at ?? item(490).at) });
    const polled = await pollNewest(store, source, async (part) => {
      const page = pageFrom(part);
      await during();
      return page;
    });
    store.write(polled);
  };
  return { api, poll, loadOlder: () => loadOlder(store, source), data: () => store.read()! };
}

test('an older page that arrives during a poll stays loaded', async () => {
  const list = openList(items(500, 1));
  await list.poll();
  await list.loadOlder();
  list.api.entries = items(501, 1);
  await list.poll(list.loadOlder);
  await list.loadOlder();
  expect(list.data()).toMatchObject({ items: items(501, 1), next: undefined });
});

test('all entries can be loaded although the pages of the API are shorter than the limit', async () => {
  const list = openList(items(100, 1), 12);
  await list.poll();
  while (list.data().next !== undefined) await list.loadOlder();
  expect(list.data().items).toEqual(items(100, 1));
});

test.each([
  ['an empty list', []],
  ['a list of a few entries', [item(495)]],
])('%s that gets more than a page of entries between two polls can load all', async (_, entries) => {
  const list = openList(entries);
  await list.poll();
  list.api.entries = items(500, 1);
  await list.poll();
  await list.loadOlder();
  await list.loadOlder();
  await list.loadOlder();
  expect(list.data()).toMatchObject({ items: items(500, 1), next: undefined });
});

test('after more new entries than a page, a list that was scrolled keeps its entries', async () => {
  const list = openList(items(100, 1));
  await list.poll();
  await list.loadOlder();
  list.api.entries = items(200, 1);
  await list.poll();
  expect(list.data()).toMatchObject({ items: items(100, 1), hasNewer: true });
  list.api.entries = items(105, 1);
  await list.poll();
  expect(list.data()).toMatchObject({ items: items(105, 1), hasNewer: false });
});

test('a failed request for an older page can be repeated', async () => {
  const list = openList(items(500, 1));
  await list.poll();
  await list.loadOlder();
  list.api.fails = true;
  await expect(list.loadOlder()).rejects.toThrow('lost');
  list.api.fails = false;
  await list.loadOlder();
  await list.loadOlder();
  expect(list.data()).toMatchObject({ items: items(500, 1), next: undefined });
});
