import { randomBytes, randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
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

async function addWebhook(secrets: SecretBox): Promise<string> {
  const id = randomUUID();
  const encrypt = (column: string) => secrets.encrypt(`the ${column}`, { table: 'webhooks', id, column });
  const now = new Date();
  await db.database.knex('webhooks').insert({
    id,
    workspace_id: randomUUID(),
    name: 'Hook',
    url_encrypted: encrypt('url'),
    headers_encrypted: encrypt('headers'),
    body_encrypted: encrypt('body'),
    destination: 'http://host',
    header_names: [],
    enabled: true,
    retry_on_timeout: true,
    created_at: now,
    updated_at: now,
    last_updated_by: 'someone',
  });
  return id;
}

async function addAttempt(
  secrets: SecretBox,
  claim: number,
): Promise<{ delivery_id: string; claim: number }> {
  const delivery_id = recordId(Date.now(), randomUUID());
  const location = { table: 'attempts', id: `${delivery_id}/${claim}`, column: 'request_body' };
  await db.database.knex('attempts').insert({
    delivery_id,
    claim,
    number: 1,
    trigger: 'scheduled',
    started_at: new Date(),
    duration_ms: 1,
    request_body_encrypted: secrets.encrypt('the request', location),
  });
  return { delivery_id, claim };
}

test('a rotation encrypts the values of an old key with the new one and keeps their content', async () => {
  const webhooks = await Promise.all(Array.from({ length: 205 }, () => addWebhook(before)));
  const attempts = await Promise.all(Array.from({ length: 205 }, (_, claim) => addAttempt(before, claim)));
  await addWebhook(after);
  expect(await rotateKeys(db.database, during)).toEqual({ webhooks: 205, attempts: 205 });

  for (const id of webhooks) {
    const row = await db.database.knex('webhooks').where({ id }).first();
    for (const column of ['url', 'headers', 'body']) {
      const plain = after.decrypt(row[`${column}_encrypted`], { table: 'webhooks', id, column });
      expect(plain.toString()).toBe(`the ${column}`);
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

test('a rotation stops at an unknown key with its name, and continues when the key is set', async () => {
  await addWebhook(before);
  await expect(rotateKeys(db.database, after)).rejects.toThrow('"old"');
  expect(await rotateKeys(db.database, during)).toEqual({ webhooks: 1, attempts: 0 });
});
