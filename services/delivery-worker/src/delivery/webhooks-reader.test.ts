import { randomBytes } from 'node:crypto';
import { createSecretBox, type Database } from '@tocsin/database';
import { createLogger, type Logger } from '@tocsin/kit';
import { createDatabaseRetry } from '../database-retry.js';
import { createWebhooksReader, type Destination } from './webhooks-reader.js';

const silent = createLogger({ service: 'test', level: 'silent' });
const secrets = createSecretBox([{ id: 'k1', key: randomBytes(32) }]);
const workspaceId = '11111111-1111-4111-8111-111111111111';

/** Creates a reader of the webhooks in `versions`. Webhooks in `damaged` cannot be decrypted. */
function start() {
  const versions = new Map([
    ['a', 1],
    ['b', 1],
  ]);
  const damaged = new Set<string>();
  const reads: string[][] = [];
  const events: string[] = [];
  const encrypt = (id: string, column: string, text: string) =>
    secrets.encrypt(text, { workspaceId, table: 'webhooks', id: damaged.has(id) ? 'x' : id, column });
  const rowOf = (id: string, version: number) => ({
    id,
    workspace_id: workspaceId,
    version,
    destination: `https://${id}.example`,
    url_encrypted: encrypt(id, 'url', `https://${id}.example/v${version}?token=a-secret-of-16-chars`),
    headers_encrypted: encrypt(id, 'headers', '{"X-Key":["header-secret"]}'),
    body_encrypted: encrypt(id, 'body', `{"v":${version}}`),
    options: null,
  });
  const database = {
    async prepared(_: unknown, [ids]: [string[]]) {
      reads.push(ids);
      return ids.filter((id) => versions.has(id)).map((id) => rowOf(id, versions.get(id)!));
    },
  } as unknown as Database;
  const reader = createWebhooksReader({
    database,
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    secrets,
    logger: { error: (_: unknown, event: string) => events.push(event) } as unknown as Logger,
  });
  return { ...reader, versions, damaged, reads, events };
}

test('a webhook is decrypted, and its redaction removes its url and header values from texts', async () => {
  const webhook = await start().get('a', 1);
  expect(webhook).toMatchObject({
    id: 'a',
    version: 1,
    destination: 'https://a.example',
    url: 'https://a.example/v1?token=a-secret-of-16-chars',
    headers: { 'X-Key': ['header-secret'] },
    body: '{"v":1}',
  });
  const { redact } = webhook as Destination;
  const sentBack = redact('a-secret-of-16-chars and header-secret', { isCut: false });
  expect(sentBack).toBe('[redacted] and [redacted]');
});

test('a webhook is read once, and again when a delivery has a later version of it', async () => {
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

test('concurrent reads share statements, and each caller gets its own webhook', async () => {
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

test('an undecryptable webhook is logged, and each call reads it again', async () => {
  const { get, damaged, reads, events } = start();
  damaged.add('a');
  const [broken, whole] = await Promise.all([get('a', 1), get('b', 1)]);
  expect(broken).toEqual({ id: 'a', error: expect.anything() });
  expect(whole).toMatchObject({ id: 'b' });
  damaged.delete('a');
  expect(await get('a', 1)).toMatchObject({ id: 'a', version: 1 });
  expect([reads.length >= 2, events]).toEqual([true, ['webhook.decrypt_failed']]);
});
