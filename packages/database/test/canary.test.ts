import { randomBytes } from 'node:crypto';
import { useTestDatabase } from '@tocsin/testing/database';
import { checkCanary, writeFirstCanary } from '../src/canary-repository.js';
import { rotateKeys } from '../src/rotate-keys-repository.js';
import { createSecretBox } from '../src/secret-box.js';

const oldKey = { id: 'old', key: randomBytes(32) };
const newKey = { id: 'new', key: randomBytes(32) };
const before = createSecretBox([oldKey]);
const during = createSecretBox([newKey, oldKey]);
const after = createSecretBox([newKey]);
const sameId = createSecretBox([{ id: 'old', key: randomBytes(32) }]);

const db = useTestDatabase({ each: 'test' });

const check = (secretBox: typeof before) => checkCanary(db.database, secretBox);
const mismatch = { code: 'unavailable', detail: expect.stringContaining('SECRETS_KEYS') };

test('checkCanary returns false for any keys while the database has no canary', async () => {
  expect([await check(before), await check(after)]).toEqual([false, false]);
});

test('keys that cannot decrypt the canary are rejected, and the canary is written only once', async () => {
  await writeFirstCanary(db.database, before);
  await writeFirstCanary(db.database, after);
  expect([await check(before), await check(during)]).toEqual([true, true]);
  await expect(check(after)).rejects.toMatchObject(mismatch);
  await expect(check(sameId)).rejects.toMatchObject(mismatch);
});

test('a rotation encrypts the canary with the current key, and creates a missing canary', async () => {
  await rotateKeys(db.database, before);
  await check(before);
  await rotateKeys(db.database, during);
  await check(after);
  await expect(check(before)).rejects.toMatchObject(mismatch);
});

test('a rotation whose keys cannot decrypt the canary changes nothing', async () => {
  await writeFirstCanary(db.database, before);
  await expect(rotateKeys(db.database, sameId)).rejects.toMatchObject(mismatch);
  await check(before);
});
