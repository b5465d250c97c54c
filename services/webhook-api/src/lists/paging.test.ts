import { randomBytes } from 'node:crypto';
import { createSecretBox } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import { createPaging, type ListRequest } from './paging.js';

const key = { id: 'k1', key: randomBytes(32) };
const paging = createPaging({ secretBox: createSecretBox([key]), publicUrl: 'https://api.example' });
const list: ListRequest = { path: '/things', query: { name: 'a&b', limit: 2 } };
const keyOf = (row: string) => [row];

function nextCursor(): string {
  const { headers } = paging.page(list, ['1', '2', '3'], { limit: 2, keyOf });
  return new URL(/<(.*)>/.exec(headers.Link!)![1]!).searchParams.get('cursor')!;
}

test('the last page has no link to a next one', () => {
  expect(paging.page(list, ['1', '2'], { limit: 2, keyOf })).toEqual({ rows: ['1', '2'], headers: {} });
  expect(paging.page(list, [], { limit: 2, keyOf })).toEqual({ rows: [], headers: {} });
});

test('the next page starts after the last row and keeps filter and limit', () => {
  const { rows, headers } = paging.page(list, ['1', '2', '3'], { limit: 2, keyOf });
  expect(rows).toEqual(['1', '2']);
  expect(headers.Link).toMatch(/^<https:\/\/api\.example\/things\?.*>; rel="next"$/);
  const query = Object.fromEntries(new URL(/<(.*)>/.exec(headers.Link!)![1]!).searchParams);
  expect(query).toMatchObject({ name: 'a&b', limit: '2' });
  expect(paging.positionOf({ path: '/things', query })).toEqual(['2']);
});

test('the limit can change between pages', () => {
  const cursor = nextCursor();
  expect(paging.positionOf({ path: '/things', query: { name: 'a&b', limit: 9, cursor } })).toEqual(['2']);
});

test('a cursor stays valid when the keys are rotated', () => {
  const rotated = createSecretBox([{ id: 'k2', key: randomBytes(32) }, key]);
  const later = createPaging({ secretBox: rotated });
  expect(later.positionOf({ ...list, query: { ...list.query, cursor: nextCursor() } })).toEqual(['2']);
});

test.each([
  ['another list', (cursor: string) => ({ path: '/others', query: { name: 'a&b', cursor } })],
  ['another filter', (cursor: string) => ({ path: '/things', query: { name: 'c', cursor } })],
])('a cursor is refused for %s', (_, request) => {
  expect(() => paging.positionOf(request(nextCursor()))).toThrow(AppError);
});

test('a cursor with a changed, removed or added character is refused', () => {
  const cursor = nextCursor();
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
      expect.objectContaining({ status: 422, errors: [expect.objectContaining({ path: 'cursor' })] }),
    );
  }
});
