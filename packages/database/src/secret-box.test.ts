import { randomBytes } from 'node:crypto';
import { createSecretBox, parseSecretKeys, type SecretLocation } from './secret-box.js';

const key = { id: 'k1', key: randomBytes(32) };
const box = createSecretBox([key]);
const location: SecretLocation = { workspaceId: 'w', table: 'webhooks', id: '1', column: 'url' };

test('a value can be decrypted at its location by every secret box that has its key', () => {
  const encrypted = box.encrypt('secret', location);
  const later = createSecretBox([{ id: 'k2', key: randomBytes(32) }, key]);
  expect(later.decrypt(encrypted, location).toString()).toBe('secret');
  expect([later.keyIdOf(encrypted), later.usesCurrentKey(encrypted)]).toEqual(['k1', false]);
  expect(encrypted.includes('secret')).toBe(false);
});

test.each<Partial<SecretLocation>>([
  { workspaceId: 'v' },
  { workspaceId: null },
  { table: 'attempts' },
  { id: '2' },
  { column: 'body' },
])('a value that is moved to another location (%j) cannot be decrypted', (moved) => {
  const encrypted = box.encrypt('secret', location);
  expect(() => box.decrypt(encrypted, { ...location, ...moved })).toThrow();
});

test('a modified value cannot be decrypted', () => {
  const encrypted = box.encrypt('secret', location);
  encrypted[encrypted.length - 1]! ^= 1;
  expect(() => box.decrypt(encrypted, location)).toThrow();
});

test('each row has its own key, which encrypts all of its columns', () => {
  const rows = ['1', '2', '1'].map((id) => ({ ...location, id }));
  const values = rows.map((row) => box.encrypt(`secret of ${row.id}`, row));
  const texts = values.map((value, index) => box.decrypt(value, rows[index]!).toString());
  expect(texts).toEqual(['secret of 1', 'secret of 2', 'secret of 1']);
  const body = { ...location, column: 'body' };
  expect(box.decrypt(box.encrypt('body', body), body).toString()).toBe('body');
});

test('the first key encrypts, and each value begins with the id of its key', () => {
  const current = createSecretBox([{ id: 'k2', key: randomBytes(32) }, key]);
  const encrypted = current.encrypt('secret', location);
  expect([current.keyIds, current.keyIdOf(encrypted), current.usesCurrentKey(encrypted)]).toEqual([
    ['k2', 'k1'],
    'k2',
    true,
  ]);
  expect(encrypted.subarray(0, 3)).toEqual(current.currentPrefix);
  expect(() => box.decrypt(encrypted, location)).toThrow('"k2", which is not in SECRETS_KEYS');
});

const bytesOf = (count: number) => Buffer.alloc(count, 1).toString('base64');

test('a list of encryption keys has the current key first, and may contain spaces', () => {
  const longest = `a.b-c_${'d'.repeat(58)}`;
  expect(parseSecretKeys(` ${longest}:${bytesOf(32)} , k1:${bytesOf(32)}\n`)).toEqual(
    [longest, 'k1'].map((id) => ({ id, key: Buffer.alloc(32, 1) })),
  );
});

test.each([
  '',
  'k1',
  bytesOf(32),
  `:${bytesOf(32)}`,
  `k1:${bytesOf(31)}`,
  `k1:${bytesOf(33)}`,
  `k 1:${bytesOf(32)}`,
  `${'k'.repeat(65)}:${bytesOf(32)}`,
  `k1:${bytesOf(32)}:x`,
  `k1:${bytesOf(32)},`,
])('the list of encryption keys "%s" is rejected', (text) => {
  expect(() => parseSecretKeys(text)).toThrow('must be a list of id:key');
});

test('two encryption keys with one id are rejected', () => {
  expect(() => parseSecretKeys(`k1:${bytesOf(32)},k1:${bytesOf(32)}`)).toThrow('has a key id twice');
});
