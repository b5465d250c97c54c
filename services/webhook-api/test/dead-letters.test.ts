import { randomUUID } from 'node:crypto';
import type { DeadLetter } from '@tocsin/contracts';
import { recordId } from '@tocsin/database';
import { alertFiredQueue } from '@tocsin/messaging';
import { otherWorkspaceId, startApi, type TestApi, workspaceId } from './support/api.js';
import { startInbox } from './support/inbox.js';
import { readAll } from './support/paging.js';

const deadLetters = '/api/v1/dead_letters';
const requeue = (id: string, as: 'admin' | 'editor' = 'admin') =>
  api.call<DeadLetter & { code?: string }>('POST', `${deadLetters}/${id}/requeue`, { as });

let api: TestApi;
let inbox: Awaited<ReturnType<typeof startInbox>>;
beforeAll(async () => {
  api = await startApi();
  inbox = await startInbox(api.broker.url);
});
afterAll(async () => {
  await inbox.close();
  await api.close();
});
beforeEach(() => api.database.knex('dead_letters').delete());

/** Inserts a dead letter with the reason `unknown_alert_rule`, and returns its id. */
async function seed(content: Buffer | string, atMs = Date.now()): Promise<string> {
  const id = recordId(atMs, randomUUID());
  await api.database.knex('dead_letters').insert({
    id,
    reason: 'unknown_alert_rule',
    detail: 'No such rule.',
    queue: alertFiredQueue,
    routing_key: 'alert.fired',
    content: Buffer.from(content as string),
    created_at: new Date(atMs),
  });
  return id;
}

const list = async (query = '') => {
  const { status, body } = await api.call<DeadLetter[]>('GET', `${deadLetters}${query}`, { as: 'admin' });
  expect(status).toBe(200);
  return body;
};

/** Requeues a dead letter, and repeats the request while the service is not yet connected to the broker. */
async function requeuedOnceUp(id: string) {
  let response = await requeue(id);
  while (response.status === 503) response = await requeue(id);
  return response;
}

test('dead letters are listed with their reason and message', async () => {
  const id = await seed('{"alert_id":"x"}');
  expect(await list()).toEqual([
    {
      id,
      workspace_id: null,
      reason: 'unknown_alert_rule',
      detail: 'No such rule.',
      queue: alertFiredQueue,
      routing_key: 'alert.fired',
      message: { alert_id: 'x' },
      encoding: 'json',
      size_bytes: 16,
      truncated: false,
      created_at: expect.any(String),
      requeued_at: null,
    },
  ]);
});

test('dead letters with binary, nested, large or empty messages can be listed', async () => {
  await seed(Buffer.from([0, 255, 254]), Date.now() - 3_000);
  await seed(`${'['.repeat(20_000)}${']'.repeat(20_000)}`, Date.now() - 2_000);
  await seed('é'.repeat(1_000_000), Date.now() - 1_000);
  await seed('');
  const [empty, large, nested, binary] = await list();
  expect(empty).toMatchObject({ message: '', encoding: 'utf-8', size_bytes: 0 });
  expect(large).toMatchObject({ encoding: 'utf-8', size_bytes: 2_000_000, truncated: true });
  expect(large?.message).toBe('é'.repeat(32_768));
  expect(nested).toMatchObject({ encoding: 'utf-8', size_bytes: 40_000, truncated: false });
  expect(binary).toMatchObject({ message: 'AP/+', encoding: 'base64' });
});

test('dead letters are paged newest first, and large messages end a page early', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 100; index += 1) ids.push(await seed('x'.repeat(70_000), Date.now() - index));
  const small = await readAll<DeadLetter>(api, `${deadLetters}?limit=30`, { as: 'admin' });
  const large = await readAll<DeadLetter>(api, `${deadLetters}?limit=1000`, { as: 'admin' });
  const newestFirst = [...ids].sort().reverse();
  expect(small.entries.map(({ id }) => id)).toEqual(newestFirst);
  expect(large.entries.map(({ id }) => id)).toEqual(newestFirst);
  expect([small.pages, large.pages]).toEqual([4, 2]);
});

test('a dead letter is requeued with the same bytes and marked as requeued', async () => {
  const content = `{ "alert_id": "${randomUUID()}", "odd":  1.00 }`;
  const id = await seed(content);
  const other = await seed('{}');
  const { status, body } = await requeuedOnceUp(id);
  expect(status).toBe(202);
  expect(body.requeued_at).not.toBeNull();
  expect(await inbox.copiesOf(Buffer.from(content), 1)).toBe(1);
  expect((await list('?requeued=false')).map((letter) => letter.id)).toEqual([other]);
  expect((await list('?requeued=true')).map((letter) => letter.id)).toEqual([id]);
  const totalOf = async (query: string) =>
    (await api.call('GET', `${deadLetters}?count=true${query}`, { as: 'admin' })).headers.get(
      'x-total-count',
    );
  await seed('{}');
  expect([await totalOf(''), await totalOf('&requeued=true'), await totalOf('&requeued=false')]).toEqual([
    '3',
    '1',
    '2',
  ]);
});

test.each([
  ['the request id of the original message', 'req-of-the-alert', 'req-of-the-alert'],
  ['no request id if the original message has none', null, undefined],
])('a requeued dead letter has %s', async (_, request_id, carried) => {
  const content = Buffer.from(randomUUID());
  const id = await seed(content);
  await api.database.knex('dead_letters').where({ id }).update({ request_id });
  await requeuedOnceUp(id);
  await inbox.copiesOf(content, 1);
  expect(inbox.requestIdOf(content)).toBe(carried);
});

test('a truncated dead letter shows its original size and cannot be requeued', async () => {
  const content = Buffer.from(`cut ${randomUUID()}`);
  const id = await seed(content);
  await api.database.knex('dead_letters').where({ id }).update({ size_bytes: 2_000_000 });
  expect(await list()).toMatchObject([{ size_bytes: 2_000_000, truncated: true, encoding: 'utf-8' }]);
  const { status, body } = await requeue(id);
  expect([status, body.code, body.detail]).toEqual([
    409,
    'conflict',
    expect.stringContaining('only its beginning was kept'),
  ]);
  expect((await list())[0]?.requeued_at).toBeNull();
});

test('a dead letter whose size_bytes equals its stored size is complete and can be requeued', async () => {
  const content = Buffer.from(`whole ${randomUUID()}`);
  const id = await seed(content);
  await api.database.knex('dead_letters').where({ id }).update({ size_bytes: content.length });
  expect(await list()).toMatchObject([{ size_bytes: content.length, truncated: false }]);
  expect((await requeuedOnceUp(id)).status).toBe(202);
});

test('concurrent requests requeue a dead letter only once', async () => {
  const content = randomUUID();
  const id = await seed(content);
  await requeuedOnceUp(await seed('first'));
  const responses = await Promise.all(Array.from({ length: 8 }, () => requeue(id)));
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([202, ...Array.from({ length: 7 }, () => 409)]);
  const [again, marker] = [await requeue(id), await seed(`after ${content}`)];
  expect([again.status, again.body.code]).toEqual([409, 'conflict']);
  // The queue keeps the order of messages, so a second copy of the message would arrive before the message `marker`.
  await requeue(marker);
  await inbox.copiesOf(Buffer.from(`after ${content}`), 1);
  expect(await inbox.copiesOf(Buffer.from(content), 1)).toBe(1);
});

test('a request gets 409 at once while another request requeues the same dead letter', async () => {
  await requeuedOnceUp(await seed('first'));
  const id = await seed('{}');
  const other = await api.database.knex.transaction();
  await other('dead_letters').select('id').where({ id }).forUpdate();
  const { status, body } = await requeue(id).finally(() => other.rollback());
  expect([status, body.code]).toEqual([409, 'conflict']);
  expect((await requeue(id)).status).toBe(202);
});

test('only admins of the deployment can list all dead letters and requeue one', async () => {
  const id = await seed('{}');
  for (const as of ['editor', 'reader', 'publisher', 'outsider'] as const) {
    expect((await api.call('GET', deadLetters, { as })).status).toBe(403);
    expect((await api.call('POST', `${deadLetters}/${id}/requeue`, { as })).status).toBe(403);
  }
  expect(await list('?requeued=false')).toHaveLength(1);
});

test('an unknown dead letter gets 404, and a malformed id gets 422', async () => {
  expect((await requeue(randomUUID())).status).toBe(404);
  expect((await requeue(`%27%20or%201=1`)).status).toBe(422);
  for (const query of ['limit=0', 'requeued=maybe', 'cursor=AAAA', 'reason=x']) {
    expect((await api.call('GET', `${deadLetters}?${query}`, { as: 'admin' })).status).toBe(422);
  }
});

test('publishers and responders can list the dead letters that name their workspace', async () => {
  const inWorkspace = `/api/v1/workspaces/${workspaceId}/dead_letters`;
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push(await seed('{}', Date.now() - count * 1_000));
    await seed('{}', Date.now() - count * 1_000);
  }
  await api.database.knex('dead_letters').whereIn('id', ids).update({ workspace_id: workspaceId });
  const { entries } = await readAll<DeadLetter>(api, `${inWorkspace}?limit=2`, { as: 'responder' });
  expect(entries.map(({ id }) => id)).toEqual(ids);
  expect(entries[0]?.workspace_id).toBe(workspaceId);
  for (const [as, status] of [
    ['publisher', 200],
    ['responder', 200],
    ['editor', 200],
    ['admin', 200],
    ['reader', 403],
    ['outsider', 403],
  ] as const)
    expect([as, (await api.call('GET', inWorkspace, { as })).status]).toEqual([as, status]);
  const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}/dead_letters`;
  expect((await api.call('GET', elsewhere, { as: 'outsider' })).body).toEqual([]);
  expect((await api.call('GET', deadLetters, { as: 'responder' })).status).toBe(403);
  await requeuedOnceUp(ids[0]!);
  const waiting = await api.call<DeadLetter[]>('GET', `${inWorkspace}?requeued=false`, { as: 'publisher' });
  expect(waiting.body.map(({ id }) => id)).toEqual(ids.slice(1));
  for (const [query, total] of [
    ['', '3'],
    ['&requeued=true', '1'],
    ['&requeued=false', '2'],
  ]) {
    const { headers } = await api.call('GET', `${inWorkspace}?count=true${query}`, { as: 'publisher' });
    expect([query, headers.get('x-total-count')]).toEqual([query, total]);
  }
});
