import { randomBytes, randomUUID } from 'node:crypto';
import {
  createTestDatabase,
  decryptAttemptRow,
  insertAttempt,
  insertDelivery,
  insertWebhook,
  type TestDatabase,
  untilLockWaits,
} from '@tocsin/testing/database';
import { checkCanary, writeFirstCanary } from '../src/canary-repository.js';
import { type RotationProgress, rotateKeys } from '../src/rotate-keys-repository.js';
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

const workspaceId = randomUUID();
/** Numbers of rotated rows when no row has values with an old key. */
const none = { webhooks: 0, webhook_signing_secrets: 0, attempts: 0, deliveries: 0 };
const texts = { url: 'http://host/path', headers: '{"a":["b"]}', body: 'the body' };

async function addWebhook(secretBox: SecretBox): Promise<string> {
  const headers = JSON.parse(texts.headers);
  return insertWebhook(db.database, { ...texts, workspaceId, headers, secretBox });
}

async function addAttempt(
  secretBox: SecretBox,
  number: number,
): Promise<{ delivery_id: string; claim: number }> {
  const id = await insertDelivery(db.database, { workspaceId, rendered: 'no JSON', secretBox });
  const attempt = {
    workspaceId,
    id,
    number,
    response: 'the response',
    requestBody: 'the request',
    responseHeaders: { location: '/' },
    secretBox,
  };
  await insertAttempt(db.database, attempt);
  return { delivery_id: id, claim: number };
}

test('a rotation encrypts values of an old key with the new key and keeps their content', async () => {
  const webhooks = await Promise.all(Array.from({ length: 205 }, () => addWebhook(before)));
  const attempts = await Promise.all(Array.from({ length: 205 }, (_, claim) => addAttempt(before, claim)));
  await addWebhook(after);
  expect(await rotateKeys(db.database, during)).toEqual({
    webhooks: 205,
    webhook_signing_secrets: 0,
    attempts: 205,
    deliveries: 205,
  });

  for (const id of webhooks) {
    const row = await db.database.knex('webhooks').where({ id }).first();
    for (const [column, text] of Object.entries(texts)) {
      const plain = after.decrypt(row[`${column}_encrypted`], { workspaceId, table: 'webhooks', id, column });
      expect(plain.toString()).toBe(text);
    }
    expect(row.version).toBe(1);
  }
  for (const { delivery_id, claim } of attempts) {
    const row = await db.database.knex('attempts').where({ delivery_id, claim }).first();
    expect(decryptAttemptRow(row, { workspaceId, secretBox: after })).toEqual({
      requestBody: 'the request',
      responseBody: 'the response',
      location: '/',
    });
    const delivery = await db.database.knex('deliveries').where({ id: delivery_id }).first();
    const cell = { workspaceId, table: 'deliveries', id: delivery_id, column: 'rendered' };
    expect(after.decrypt(delivery.rendered_encrypted, cell).toString()).toBe('no JSON');
  }
  expect(await rotateKeys(db.database, during)).toEqual(none);
});

test('a rotation leaves values of a lost key, rotates the others, and fails with their number', async () => {
  const lost = createSecretBox([{ id: 'lost', key: randomBytes(32) }]);
  const rowOf = (id: string) => db.database.knex('webhooks').where({ id }).first();
  const [first, , other] = [await addWebhook(lost), await addWebhook(lost), await addWebhook(before)];
  const url = { workspaceId, table: 'webhooks', id: first, column: 'url' };
  const url_encrypted = before.encrypt(texts.url, url);
  await db.database.knex('webhooks').where({ id: first }).update({ url_encrypted });
  await addAttempt(lost, 1);
  await writeFirstCanary(db.database, before);
  const { message } = (await rotateKeys(db.database, during).catch((error: unknown) => error)) as Error;
  const [text, counts = ''] = message.split(' These are unchanged: ');
  expect(text).toBe('SECRETS_KEYS does not decrypt all values.');
  expect(counts.slice(0, -1).split(', ').sort()).toEqual([
    '1 of attempts.exchange with the key "lost"',
    '1 of deliveries.rendered with the key "lost"',
    '1 of webhooks.url with the key "lost"',
    '2 of webhooks.body with the key "lost"',
    '2 of webhooks.headers with the key "lost"',
  ]);
  const row = await rowOf(first);
  expect(after.decrypt(row.url_encrypted, url).toString()).toBe(texts.url);
  expect(after.keyIdOf(row.body_encrypted)).toBe('lost');
  expect(after.keyIdOf((await rowOf(other)).body_encrypted)).toBe('new');
  expect(await checkCanary(db.database, after)).toBe(true);
});

test('a rotation without a needed key fails and names the key; a rotation with the key succeeds', async () => {
  await addWebhook(before);
  await expect(rotateKeys(db.database, after)).rejects.toThrow('"old"');
  expect(await checkCanary(db.database, during)).toBe(false);
  expect(await rotateKeys(db.database, during)).toEqual({ ...none, webhooks: 1 });
});

test('a rotation keeps a value that changes meanwhile, and re-encrypts other values of the row', async () => {
  const id = await addWebhook(before);
  const location = { workspaceId, table: 'webhooks', id, column: 'url' };
  const url_encrypted = after.encrypt('http://other/', location);
  let rotation: Promise<unknown> = Promise.resolve();
  await db.database.knex.transaction(async (trx) => {
    await trx('webhooks').where({ id }).update({ url_encrypted });
    rotation = rotateKeys(db.database, during);
    await untilLockWaits(db.database, { sessions: 1 });
  });
  expect(await rotation).toEqual({ webhooks: 1, webhook_signing_secrets: 0, attempts: 0, deliveries: 0 });
  const row = await db.database.knex('webhooks').where({ id }).first();
  expect(after.decrypt(row.url_encrypted, location).toString()).toBe('http://other/');
  const body = after.decrypt(row.body_encrypted, { ...location, column: 'body' });
  expect(body.toString()).toBe(texts.body);
});

test('a rotation also re-encrypts attempts that have no response', async () => {
  const id = await insertDelivery(db.database, { workspaceId });
  await insertAttempt(db.database, { workspaceId, id, number: 1, response: null, secretBox: before });
  expect(await rotateKeys(db.database, during)).toEqual({
    webhooks: 0,
    webhook_signing_secrets: 0,
    attempts: 1,
    deliveries: 0,
  });
  const row = await db.database.knex('attempts').where({ delivery_id: id }).first();
  expect(during.keyIdOf(row.exchange_encrypted)).toBe('new');
  expect(decryptAttemptRow(row, { workspaceId, secretBox: after }).responseBody).toBe('');
});

test('a rotation reports the rows that are done and an estimate of the rows that are left', async () => {
  for (let claim = 0; claim < 3; claim += 1) await addAttempt(before, claim);
  // A row of 9 MiB is a page of its own, because the limit of a page is 8 MiB.
  const long = 'x'.repeat(9 * 1_048_576);
  for (let count = 0; count < 2; count += 1)
    await insertWebhook(db.database, { body: long, secretBox: before });
  await db.database.knex.raw('analyze');
  const reports: RotationProgress[] = [];
  await rotateKeys(db.database, during, (progress) => reports.push(progress));
  expect(reports.map(({ table, rows }) => [table, rows])).toEqual([
    ['webhooks', 1],
    ['webhooks', 2],
    ['attempts', 3],
    ['deliveries', 3],
  ]);
  const [first, second, ...others] = reports.map(({ read, left }) => [read, left]);
  expect(second).toEqual([first![0]! + 1, first![1]! - 1]);
  for (const [read, left] of others) expect(read! + left!).toBe(first![0]! + first![1]!);
});

test('a rotation skips a partition that is dropped while it runs', async () => {
  await addAttempt(before, 1);
  const { knex } = db.database;
  const { rows } = await knex.raw(
    `select max(relname) as name from pg_class where relname like 'deliveries_2%' and relkind = 'r'`,
  );
  let dropping: Promise<unknown> | undefined;
  const rotated = await rotateKeys(db.database, during, ({ table }) => {
    if (table === 'attempts') dropping ??= knex.raw(`drop table ${rows[0].name}`).then();
  });
  await dropping;
  expect(rotated).toMatchObject({ attempts: 1, deliveries: 1 });
});
