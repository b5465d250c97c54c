import { randomBytes } from 'node:crypto';
import { createSecretBox } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import { createPaging, type ListRequest, listResponse } from './paging.js';

const key = { id: 'k1', key: randomBytes(32) };
const secretBox = createSecretBox([key]);
const paging = createPaging({ secretBox, publicUrl: 'https://api.example' });
const list: ListRequest = { path: '/things', query: { name: 'a&b', limit: 2 } };
const options = { limit: 2, keyOf: (row: string) => [row], count: () => 3 };

async function nextCursor(): Promise<string> {
  const { headers } = await paging.page(list, ['1', '2', '3'], options);
  return new URL(/<(.*)>/.exec(headers.Link!)![1]!).searchParams.get('cursor')!;
}

test('the last page of a list has no link to a next page', async () => {
  expect(await paging.page(list, ['1', '2'], options)).toEqual({ rows: ['1', '2'], headers: {} });
  expect(await paging.page(list, [], options)).toEqual({ rows: [], headers: {} });
  expect(await paging.page(list, ['1'], { ...options, limit: 0 })).toEqual({ rows: [], headers: {} });
});

test('the next page of a list starts after the last row and keeps the filter and the limit', async () => {
  const { rows, headers } = await paging.page(list, ['1', '2', '3'], options);
  expect(rows).toEqual(['1', '2']);
  expect(headers.Link).toMatch(/^<https:\/\/api\.example\/things\?.*>; rel="next"$/);
  const query = Object.fromEntries(new URL(/<(.*)>/.exec(headers.Link!)![1]!).searchParams);
  expect(query).toMatchObject({ name: 'a&b', limit: '2' });
  expect(paging.positionOf({ path: '/things', query })).toEqual(['2']);
});

test('the OpenAPI response of a list describes its entries and its headers', () => {
  expect(listResponse('The things.', { type: 'string' })).toEqual({
    description: 'The things.',
    schema: { type: 'array', items: { type: 'string' } },
    headers: {
      Link: expect.stringContaining('rel="next"'),
      'X-Total-Count': expect.stringContaining('10000+'),
    },
  });
});

test('the link to the next page is relative without a public URL, and its parameters are sorted', async () => {
  const { headers } = await createPaging({ secretBox }).page(
    { path: '/things', query: { c: ['2', '1'], b: undefined, limit: 3, a: true } },
    ['1', '2', '3', '4'],
    { ...options, limit: 3 },
  );
  const link = /^<(\/things\?.*)>; rel="next"$/.exec(headers.Link!)![1]!;
  const query = [...new URL(link, 'https://api.example').searchParams];
  const cursor = query.find(([name]) => name === 'cursor')![1];
  expect(query).toEqual([
    ['a', 'true'],
    ['c', '2'],
    ['c', '1'],
    ['cursor', cursor],
    ['limit', '3'],
  ]);
  expect(paging.positionOf({ path: '/things', query: { cursor, a: 'true', c: ['2', '1'] } })).toEqual(['3']);
});

test('a cursor is the encrypted position, bound to the path and the filters of its list', () => {
  const location = { workspaceId: null, table: 'cursors', id: '/things?name=a%26b', column: 'position' };
  const cursor = secretBox.encrypt('["7"]', location).toString('base64url');
  expect(paging.positionOf({ ...list, query: { ...list.query, cursor } })).toEqual(['7']);
});

test('the limit and the count parameter can change between pages', async () => {
  const query = { name: 'a&b', limit: 9, count: true, cursor: await nextCursor() };
  expect(paging.positionOf({ path: '/things', query })).toEqual(['2']);
});

test.each([
  [0, '0'],
  [10_000, '10000'],
  [10_001, '10000+'],
])('a list of %i entries has the total %s', async (entries, total) => {
  const counted = { ...list, query: { ...list.query, count: true } };
  const count = (max: number) => Math.min(entries, max);
  const { headers } = await paging.page(counted, ['1'], { ...options, count });
  expect(headers).toEqual({ 'X-Total-Count': total });
});

test('a cursor stays valid after a new encryption key is added to the list of keys', async () => {
  const rotated = createSecretBox([{ id: 'k2', key: randomBytes(32) }, key]);
  const later = createPaging({ secretBox: rotated });
  expect(later.positionOf({ ...list, query: { ...list.query, cursor: await nextCursor() } })).toEqual(['2']);
});

test.each([
  ['another list', (cursor: string) => ({ path: '/others', query: { name: 'a&b', cursor } })],
  ['another filter', (cursor: string) => ({ path: '/things', query: { name: 'c', cursor } })],
])('a cursor of a list is rejected for %s', async (_, request) => {
  const asked = request(await nextCursor());
  expect(() => paging.positionOf(asked)).toThrow(AppError);
});

/**
 * Reads the first page of a history. Returns the cursor of the next page, a function that reads further pages, and the
 * id ranges of all reads.
 */
async function firstPage(query: { since?: string; until?: string }) {
  const ranges: { from: string; below: string }[] = [];
  const reader = {
    read: async ({ range }: { range: { from: string; below: string } }) => {
      ranges.push(range);
      return ['0190-5', '0190-4', '0190-3'];
    },
    count: async () => 3,
    idOf: (row: string) => row,
    present: (row: string) => row,
  };
  const readPage = (more: object) =>
    paging.historyPage({ path: '/history', query: { limit: 2, ...query, ...more } }, reader);
  const { headers } = await readPage({});
  const cursor = new URL(/<(.*)>/.exec(headers.Link!)![1]!).searchParams.get('cursor')!;
  return { cursor, readPage, ranges };
}

test('a page of a history list has 50 entries unless the request sets a limit', async () => {
  const limits: number[] = [];
  const reader = {
    read: async ({ limit }: { limit: number }) => {
      limits.push(limit);
      return Array.from({ length: limit }, (_, index) => `0190-${999 - index}`);
    },
    count: async () => 1_000,
    idOf: (row: string) => row,
    present: (row: string) => row,
  };
  const sizes: number[] = [];
  for (const query of [{}, { limit: 7 }])
    sizes.push((await paging.historyPage({ path: '/history', query }, reader)).body.length);
  // Each page reads one more entry than its limit, to find out whether there is a next page.
  expect([limits, sizes]).toEqual([
    [51, 8],
    [50, 7],
  ]);
});

test('the first entry above the byte limit of a page is the first entry of the next page', async () => {
  const ids = ['0190-5', '0190-4', '0190-3', '0190-2'];
  const reader = {
    read: async () => ids,
    count: async () => 4,
    idOf: (row: string) => row,
    present: (row: string) => row,
    isBeyondBudget: (row: string) => row < '0190-4',
  };
  const { headers, body } = await paging.historyPage({ path: '/history', query: { limit: 3 } }, reader);
  const { searchParams } = new URL(/<(.*)>/.exec(headers.Link!)![1]!);
  const position = paging.positionOf({ path: '/history', query: { cursor: searchParams.get('cursor')! } });
  expect([body, position]).toEqual([['0190-5', '0190-4'], ['0190-4']]);
});

test('the total of a history list counts the whole time range on every page', async () => {
  const counted: { from: string; below: string }[] = [];
  const reader = {
    read: async () => ['0190-5', '0190-4'],
    count: async (range: { from: string; below: string }) => counted.push(range),
    idOf: (row: string) => row,
    present: (row: string) => row,
  };
  const query = { limit: 1, count: true };
  const { headers } = await paging.historyPage({ path: '/history', query }, reader);
  const { searchParams } = new URL(/<(.*)>/.exec(headers.Link!)![1]!);
  const cursor = searchParams.get('cursor')!;
  await paging.historyPage({ path: '/history', query: { ...query, cursor } }, reader);
  expect(counted).toHaveLength(2);
  expect(counted[1]).toEqual(counted[0]);
});

test('a history list without a time range reads all ids', async () => {
  const { ranges } = await firstPage({});
  const from = '00000000-0000-0000-0000-000000000000';
  expect(ranges).toEqual([{ from, below: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }]);
});

test('the next page of a history list reads only ids below the last one, in the same time range', async () => {
  const since = '1970-01-01T00:00:00.001Z';
  const until = '1970-01-01T00:00:00.255Z';
  const { cursor, readPage, ranges } = await firstPage({ since, until });
  await readPage({ cursor });
  const from = '00000000-0001-0000-0000-000000000000';
  expect(ranges).toEqual([
    { from, below: '00000000-00ff-0000-0000-000000000000' },
    { from, below: '0190-4' },
  ]);
});

test.each([
  [{ until: '2026-01-02T00:00:00Z' }, { until: '2026-01-03T00:00:00Z' }],
  [{ until: '2026-01-02T00:00:00Z' }, { until: undefined }],
  [{ since: '2026-01-02T00:00:00Z' }, { since: '2026-01-01T00:00:00Z' }],
  [{ since: '2026-01-02T00:00:00Z' }, { since: undefined }],
  [{}, { since: '2026-01-01T00:00:00Z' }],
])('a cursor of the query %j is rejected for the query %j', async (query, other) => {
  const { cursor, readPage, ranges } = await firstPage(query);
  await expect(readPage({ cursor, ...other })).rejects.toMatchObject({ code: 'validation_failed' });
  expect(ranges).toHaveLength(1);
});

test('a cursor with a changed, removed or added character is rejected', async () => {
  const cursor = await nextCursor();
  const changed = [...cursor].map(
    (char, at) => `${cursor.slice(0, at)}${char === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
  );
  for (const tampered of [
    ...changed,
    cursor.slice(1),
    cursor.slice(0, -1),
    `${cursor}=`,
    `${cursor}A`,
    'x',
    '💥',
  ]) {
    expect(() => paging.positionOf({ ...list, query: { ...list.query, cursor: tampered } })).toThrow(
      expect.objectContaining({
        status: 422,
        detail: 'The query is not valid.',
        errors: [{ path: 'cursor', message: 'must be a cursor of this list, with the same filters' }],
      }),
    );
  }
});
