import { randomBytes, randomUUID } from 'node:crypto';
import { recordId } from '../src/record-id.js';
import { resealAll } from '../src/reseal-repository.js';
import { createSecretBox, type SecretBox } from '../src/secret-box.js';
import { createTestDatabase, type TestDatabase } from '../src/testing.js';

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
  const seal = (column: string) => secrets.seal(`the ${column}`, { table: 'webhooks', id, column });
  const now = new Date();
  await db.database.knex('webhooks').insert({
    id,
    workspace_id: randomUUID(),
    name: 'Hook',
    url_encrypted: seal('url'),
    headers_encrypted: seal('headers'),
    body_encrypted: seal('body'),
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
  const place = { table: 'attempts', id: `${delivery_id}/${claim}`, column: 'request_body' };
  await db.database.knex('attempts').insert({
    delivery_id,
    claim,
    number: 1,
    trigger: 'scheduled',
    started_at: new Date(),
    duration_ms: 1,
    request_body_encrypted: secrets.seal('the request', place),
  });
  return { delivery_id, claim };
}

test('everything that an old key sealed is sealed with the new one, and says the same', async () => {
  const webhooks = await Promise.all(Array.from({ length: 205 }, () => addWebhook(before)));
  const attempts = await Promise.all(Array.from({ length: 205 }, (_, claim) => addAttempt(before, claim)));
  await addWebhook(after);
  expect(await resealAll(db.database, during)).toEqual({ webhooks: 205, attempts: 205 });

  for (const id of webhooks) {
    const row = await db.database.knex('webhooks').where({ id }).first();
    for (const column of ['url', 'headers', 'body']) {
      const plain = after.open(row[`${column}_encrypted`], { table: 'webhooks', id, column });
      expect(plain.toString()).toBe(`the ${column}`);
    }
    expect(row.version).toBe(1);
  }
  for (const { delivery_id, claim } of attempts) {
    const row = await db.database.knex('attempts').where({ delivery_id, claim }).first();
    const place = { table: 'attempts', id: `${delivery_id}/${claim}`, column: 'request_body' };
    expect(after.open(row.request_body_encrypted, place).toString()).toBe('the request');
  }
  expect(await resealAll(db.database, during)).toEqual({ webhooks: 0, attempts: 0 });
});

test('a value whose key is not set stops the work with its key named, and can be taken up again', async () => {
  await addWebhook(before);
  await expect(resealAll(db.database, after)).rejects.toThrow('"old"');
  expect(await resealAll(db.database, during)).toEqual({ webhooks: 1, attempts: 0 });
});
