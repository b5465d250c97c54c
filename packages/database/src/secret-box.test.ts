import { randomBytes } from 'node:crypto';
import { createSecretBox, parseSecretKeys, type SecretLocation } from './secret-box.js';

const key = { id: 'k1', key: randomBytes(32) };
const box = createSecretBox([key]);
const location: SecretLocation = { workspaceId: 'w', table: 'webhooks', id: '1', column: 'url' };

test('a secret box that has the key of a value decrypts the value for its table, row and column', () => {
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

test('values that are encrypted with different salts can be decrypted in any order', () => {
  const writer = createSecretBox([key]);
  const values = Array.from({ length: 2_001 }, (_, index) => writer.encrypt(`secret ${index}`, location));
  const salts = values.map((value) => value.subarray(3, 15).toString('hex'));
  expect([0, 999, 1_000, 1_999, 2_000].map((index) => salts.indexOf(salts[index]!))).toEqual([
    0, 0, 1_000, 1_000, 2_000,
  ]);
  for (const index of [2_000, 0, 1_000, 999, 1_999])
    expect(box.decrypt(values[index]!, location).toString()).toBe(`secret ${index}`);
});

test('each value has its own nonce, and each secret box its own salt, even with an equal key', () => {
  const encrypt = () => box.encrypt('secret', location);
  expect(encrypt().subarray(15, 27)).not.toEqual(encrypt().subarray(15, 27));
  expect(createSecretBox([key]).encrypt('secret', location).subarray(3, 15)).not.toEqual(
    createSecretBox([key]).encrypt('secret', location).subarray(3, 15),
  );
});

test('a value with a modified salt cannot be decrypted', () => {
  const encrypted = box.encrypt('secret', location);
  encrypted[3]! ^= 1;
  expect(() => box.decrypt(encrypted, location)).toThrow();
});

test('the first key encrypts new values, and each value begins with the id of its key', () => {
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

test('SECRETS_KEYS is parsed into keys in the listed order, without the spaces around them', () => {
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

test('two encryption keys with the same id are rejected', () => {
  expect(() => parseSecretKeys(`k1:${bytesOf(32)},k1:${bytesOf(32)}`)).toThrow('has a key id twice');
});
