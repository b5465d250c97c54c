import { appendOlder, changedSince, laterOf, mergeNewest, newestPage, pageSince } from './live-list.js';

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

test('a poll adds new entries in front of the loaded entries and removes no loaded entry', () => {
  const known = items(100, 1);
  expect(mergeNewest(known, { head: items(103, 104 - newestPage) }, order)).toEqual(items(103, 1));
});

test('an entry of the newest page replaces the loaded entry with the same id', () => {
  const head = items(100, 101 - newestPage).map((entry) => ({ ...entry, status: 'failed' }));
  const merged = mergeNewest(items(100, 1), { head }, order);
  expect(merged?.slice(0, newestPage)).toEqual(head);
  expect(merged).toHaveLength(100);
});

test('a loaded entry in the time range of the newest page is removed if the page lacks it', () => {
  const head = items(101, 1)
    .filter(({ id }) => id !== 'id-99')
    .slice(0, newestPage);
  expect(mergeNewest(items(100, 1), { head }, order)?.map(({ id }) => id)).not.toContain('id-99');
});

test('a full newest page whose entries are all newer than the loaded ones cannot be merged', () => {
  expect(mergeNewest(items(100, 1), { head: items(200, 201 - newestPage) }, order)).toBeUndefined();
});

test('entries with equal times at the end of the newest page are neither lost nor repeated', () => {
  const sameTime = Array.from({ length: 2 * newestPage }, (_, index) => ({
    ...item(5),
    id: `same-${index}`,
  }));
  expect(mergeNewest(sameTime, { head: sameTime.slice(0, newestPage) }, order)).toEqual(sameTime);
});

test('a newest page with fewer entries than a full page replaces the whole list', () => {
  expect(mergeNewest(items(100, 1), { head: items(3, 1) }, order)).toEqual(items(3, 1));
});

test('an older page adds only entries that are older than the loaded ones', () => {
  expect(appendOlder(items(100, 51), items(103, 1), order)).toEqual(items(100, 1));
});

test('a poll with a start time replaces the entries since that time and keeps the older ones', () => {
  const head = [item(101), item(99, { status: 'succeeded' })];
  expect(mergeNewest(items(100, 1), { head, since: item(99).at }, order)).toEqual([...head, ...items(98, 1)]);
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
