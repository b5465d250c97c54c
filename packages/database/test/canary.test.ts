import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { checkCanary, writeFirstCanary } from '../src/canary-repository.js';
import { rotateKeys } from '../src/rotate-keys-repository.js';
import { createSecretBox } from '../src/secret-box.js';

const oldKey = { id: 'old', key: randomBytes(32) };
const newKey = { id: 'new', key: randomBytes(32) };
const before = createSecretBox([oldKey]);
const during = createSecretBox([newKey, oldKey]);
const after = createSecretBox([newKey]);
const sameId = createSecretBox([{ id: 'old', key: randomBytes(32) }]);

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const check = (secrets: typeof before) => checkCanary(db.database, secrets);
const mismatch = { code: 'unavailable', detail: expect.stringContaining('SECRETS_KEYS') };

test('all keys fit a database without a canary', async () => {
  expect([await check(before), await check(after)]).toEqual([false, false]);
});

test('only keys with the key of the canary fit, and a first canary replaces none', async () => {
  await writeFirstCanary(db.database, before);
  await writeFirstCanary(db.database, after);
  expect([await check(before), await check(during)]).toEqual([true, true]);
  await expect(check(after)).rejects.toMatchObject(mismatch);
  await expect(check(sameId)).rejects.toMatchObject(mismatch);
});

test('a rotation encrypts the canary with the current key, also where there was none', async () => {
  await rotateKeys(db.database, before);
  await check(before);
  await rotateKeys(db.database, during);
  await check(after);
  await expect(check(before)).rejects.toMatchObject(mismatch);
});

test('a rotation whose keys do not fit the canary changes nothing', async () => {
  await writeFirstCanary(db.database, before);
  await expect(rotateKeys(db.database, sameId)).rejects.toMatchObject(mismatch);
  await check(before);
});
