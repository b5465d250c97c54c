import { randomBytes } from 'node:crypto';
import { createSecretBox, type Database } from '@tocsin/database';
import { createLogger, type Logger } from '@tocsin/kit';
import { unsetOptions } from '../../test/support/deliverer.js';
import { createDatabaseRetry } from '../database-retry.js';
import { createWebhooksReader, type DecryptedWebhook, type Undecryptable } from './webhooks-reader.js';

const silent = createLogger({ service: 'test', level: 'silent' });
const secretBox = createSecretBox([{ id: 'k1', key: randomBytes(32) }]);
const workspaceId = '11111111-1111-4111-8111-111111111111';

/**
 * Creates a reader of the webhooks in `versions`. Webhooks in `damaged` cannot be decrypted. `options` is the options
 * column of each row, and `header` is the value of its header.
 */
function start(options: object | null = null, header = 'header-secret') {
  const versions = new Map([
    ['a', 1],
    ['b', 1],
  ]);
  const damaged = new Set<string>();
  const reads: string[][] = [];
  const statements: { name: string; text: string }[] = [];
  const events: unknown[] = [];
  const encrypt = (id: string, column: string, text: string) =>
    secretBox.encrypt(text, { workspaceId, table: 'webhooks', id: damaged.has(id) ? 'x' : id, column });
  const rowOf = (id: string, version: number) => ({
    id,
    workspace_id: workspaceId,
    version,
    destination: `https://${id}.example`,
    url_encrypted: encrypt(id, 'url', `https://${id}.example/v${version}?token=a-secret-of-16-chars`),
    headers_encrypted: encrypt(id, 'headers', JSON.stringify({ 'X-Key': [header] })),
    body_encrypted: encrypt(id, 'body', `{"v":${version}}`),
    options,
  });
  const database = {
    async prepared(statement: { name: string; text: string }, [ids]: [string[]]) {
      statements.push(statement);
      reads.push(ids);
      return ids.filter((id) => versions.has(id)).map((id) => rowOf(id, versions.get(id)!));
    },
  } as unknown as Database;
  const reader = createWebhooksReader({
    database,
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    secretBox,
    logger: {
      error: (fields: unknown, event: string) => events.push([event, fields]),
    } as unknown as Logger,
  });
  return { ...reader, versions, damaged, reads, statements, events };
}

test('a webhook is decrypted, and the secrets in its url and headers are redacted from texts', async () => {
  const { get, statements } = start();
  const webhook = await get('a', 1);
  expect(statements).toEqual([
    { name: 'delivery.find-webhooks', text: expect.stringContaining('from webhooks where id = any($1') },
  ]);
  expect(webhook).toMatchObject({
    options: undefined,
    id: 'a',
    version: 1,
    destination: 'https://a.example',
    url: 'https://a.example/v1?token=a-secret-of-16-chars',
    headers: { 'X-Key': ['header-secret'] },
    body: '{"v":1}',
  });
  const { redact } = webhook as DecryptedWebhook;
  const sentBack = redact('a-secret-of-16-chars and header-secret', { isCut: false });
  expect(sentBack).toBe('[redacted] and [redacted]');
});

test('a webhook is read once, and again only when a delivery needs a later version of it', async () => {
  const { get, versions, reads } = start();
  expect(await get('a', 1)).toMatchObject({ version: 1 });
  versions.set('a', 3);
  expect(await get('a', 1)).toMatchObject({ version: 1 });
  expect(reads).toHaveLength(1);
  expect(await get('a', 2)).toMatchObject({ version: 3, body: '{"v":3}' });
  expect(await get('a', 3)).toMatchObject({ version: 3 });
  expect(await get('a', 1)).toMatchObject({ version: 3 });
  expect(reads).toHaveLength(2);
});

test('concurrent reads share SQL statements, and each caller gets the requested webhook', async () => {
  const { get, reads } = start();
  const [first, second, third, missing] = await Promise.all([
    get('a', 1),
    get('b', 1),
    get('a', 1),
    get('c', 1),
  ]);
  expect([first, second, third, missing]).toMatchObject([{ id: 'a' }, { id: 'b' }, { id: 'a' }, undefined]);
  expect(reads.flat().filter((id) => id === 'a').length).toBeLessThanOrEqual(2);
});

test.each([
  ['webhooks with the longest headers', 'x'.repeat(8_000), 100, 1],
  ['usual webhooks', 'header-secret', 2_000, 0],
])('the cache keeps as many %s as fit in its memory', async (_, header, count, rereads) => {
  const { get, versions, reads } = start(null, header);
  const ids = Array.from({ length: count }, (__, index) => `w${index}`);
  for (const id of ids) versions.set(id, 1);
  await Promise.all(ids.map((id) => get(id, 1)));
  const statements = reads.length;
  await get(ids.at(-1)!, 1);
  expect(reads.length).toBe(statements);
  await get(ids[0]!, 1);
  expect(reads.length).toBe(statements + rereads);
});

test('an undecryptable webhook is logged, and each call reads it again', async () => {
  const { get, damaged, reads, events } = start();
  damaged.add('a');
  const [broken, whole] = await Promise.all([get('a', 1), get('b', 1)]);
  expect(broken).toEqual({ id: 'a', error: expect.anything() });
  expect(whole).toMatchObject({ id: 'b' });
  // At most one log line a minute is written, so this second failure is not logged.
  await get('a', 1);
  damaged.delete('a');
  expect(await get('a', 1)).toMatchObject({ id: 'a', version: 1 });
  const fields = { err: (broken as Undecryptable).error, webhook_id: 'a', count: 1 };
  expect([reads.length >= 2, events]).toEqual([true, [['webhook.decrypt_failed', fields]]]);
});

const noOptions = {
  retrySchedule: null,
  timeout: null,
  requests: null,
  period: null,
  idempotencyHeader: null,
  pauses: null,
  secrets: null,
};
const optionsOf = async (row: object) =>
  ((await start({ ...noOptions, ...row }).get('a', 1)) as DecryptedWebhook).options;

test('the options of a webhook are read, with times in milliseconds and decrypted keys', async () => {
  const secretOf = (id: string, key: string) =>
    secretBox
      .encrypt(`whsec_${Buffer.from(key).toString('base64')}`, {
        workspaceId,
        table: 'webhook_signing_secrets',
        id,
        column: 'secret',
      })
      .toString('base64');
  const row = {
    retrySchedule: [1_000, 2_000],
    timeout: 7_000,
    requests: 5,
    period: 60_000,
    idempotencyHeader: 'X-Id',
    pauses: [[1.5, 2.5]],
    secrets: [
      { id: 's1', secret: secretOf('s1', 'one'), expires: null },
      { id: 's2', secret: secretOf('s2', 'two'), expires: 90.5 },
    ],
  };
  expect(await optionsOf(row)).toEqual({
    retryScheduleMs: [1_000, 2_000],
    timeoutMs: 7_000,
    rateLimit: { requests: 5, periodMs: 60_000 },
    signingKeys: [
      { key: Buffer.from('one'), expiresAtMs: Number.POSITIVE_INFINITY },
      { key: Buffer.from('two'), expiresAtMs: 90_500 },
    ],
    idempotencyHeader: 'X-Id',
    manualPauses: [[1_500, 2_500]],
  });
});

test('unset options are undefined, and a signing webhook without secrets has no keys', async () => {
  expect(await optionsOf({})).toEqual(unsetOptions);
  expect(await optionsOf({ secrets: [] })).toEqual({ ...unsetOptions, signingKeys: [] });
});

test('a webhook is undecryptable if its signing secret was encrypted for another webhook', async () => {
  const location = { workspaceId, table: 'webhook_signing_secrets', id: 'other', column: 'secret' };
  const secret = secretBox.encrypt('whsec_a2V5', location).toString('base64');
  const row = { ...noOptions, secrets: [{ id: 's1', secret, expires: null }] };
  expect(await start(row).get('a', 1)).toMatchObject({ id: 'a', error: expect.anything() });
});
