import { randomBytes } from 'node:crypto';
import { createSecretBox, type SecretLocation } from './secret-box.js';

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
