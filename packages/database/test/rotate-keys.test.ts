import { randomBytes, randomUUID } from 'node:crypto';
import {
  createTestDatabase,
  insertAttempt,
  insertWebhook,
  type TestDatabase,
} from '@tocsin/testing/database';
import { recordId } from '../src/record-id.js';
import { rotateKeys } from '../src/rotate-keys-repository.js';
import { createSecretBox, type SecretBox } from '../src/secret-box.js';

const oldKey = { id: 'old', key: randomBytes(32) };
const newKey = { id: 'new', key: randomBytes(32) };
const before = createSecretBox([oldKey]);
const during = createSecretBox([newKey, oldKey]);
const after = createSecretBox([newKey]);

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const texts = { url: 'http://host/path', headers: '{"a":["b"]}', body: 'the body' };

async function addWebhook(secretBox: SecretBox): Promise<string> {
  const headers = JSON.parse(texts.headers);
  return insertWebhook(db.database, { ...texts, headers, secretBox });
}

async function addAttempt(
  secretBox: SecretBox,
  number: number,
): Promise<{ delivery_id: string; claim: number }> {
  const id = recordId(Date.now(), randomUUID());
  const attempt = { id, number, response: null, requestBody: 'the request', secretBox };
  await insertAttempt(db.database, attempt);
  return { delivery_id: id, claim: number };
}

test('a rotation encrypts the values of an old key with the new one and keeps their content', async () => {
  const webhooks = await Promise.all(Array.from({ length: 205 }, () => addWebhook(before)));
  const attempts = await Promise.all(Array.from({ length: 205 }, (_, claim) => addAttempt(before, claim)));
  await addWebhook(after);
  expect(await rotateKeys(db.database, during)).toEqual({ webhooks: 205, attempts: 205 });

  for (const id of webhooks) {
    const row = await db.database.knex('webhooks').where({ id }).first();
    for (const [column, text] of Object.entries(texts)) {
      const plain = after.decrypt(row[`${column}_encrypted`], { table: 'webhooks', id, column });
      expect(plain.toString()).toBe(text);
    }
    expect(row.version).toBe(1);
  }
  for (const { delivery_id, claim } of attempts) {
    const row = await db.database.knex('attempts').where({ delivery_id, claim }).first();
    const location = { table: 'attempts', id: `${delivery_id}/${claim}`, column: 'request_body' };
    expect(after.decrypt(row.request_body_encrypted, location).toString()).toBe('the request');
  }
  expect(await rotateKeys(db.database, during)).toEqual({ webhooks: 0, attempts: 0 });
});

test('a rotation stops at an unknown key and names it, and continues when the key is set', async () => {
  await addWebhook(before);
  await expect(rotateKeys(db.database, after)).rejects.toThrow('"old"');
  expect(await rotateKeys(db.database, during)).toEqual({ webhooks: 1, attempts: 0 });
});
