import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { reportWebhooks } from '@tocsin/deliveries';
import { insertDelivery, untilLockWaits } from '@tocsin/testing/database';
import { type Problem, useApi, workspaceId } from './support/api.js';
import { tokenOf } from './support/tokens.js';

interface Resource extends Problem {
  id: string;
  name: string | null;
  etag?: string;
}

const inWorkspace = `/api/v1/workspaces/${workspaceId}`;
const settings = `${inWorkspace}/settings`;

const api = useApi();

const call = (method: string, path: string, body?: object, ifMatch?: string) =>
  api.call<Resource>(method, path, {
    as: 'admin',
    body,
    ...(ifMatch !== undefined && { headers: { 'If-Match': ifMatch } }),
  });
const create = async (collection: string, fields: object) => {
  const { status, headers, body } = await call('POST', `${inWorkspace}/${collection}`, fields);
  expect(status).toBe(201);
  return { path: `/api/v1/${collection}/${body.id}`, id: body.id, etag: headers.get('etag') };
};
const addWebhook = () => create('webhooks', { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}' });
const addRule = (webhookIds: string[] = []) =>
  create('alert_rules', {
    name: 'Rule',
    model_id: randomUUID(),
    threshold: 1,
    bound: 'upper_bound',
    notification_webhook_ids: webhookIds,
  });
const settingsOf = async () => {
  await api.database.knex('workspace_settings').delete();
  return { path: settings, id: workspaceId, etag: '"0"' };
};
const etagOf = async (path: string) => (await call('GET', path)).headers.get('etag');

const kinds = [
  ['a webhook', addWebhook],
  ['an alert rule', addRule],
  ['the settings', settingsOf],
] as const;

describe.each(kinds)('the ETag of %s', (name, make) => {
  test('an ETag is strong, equal in all responses, and new after each change', async () => {
    const { path, etag } = await make();
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(await etagOf(path)).toBe(etag);
    const changed = await call('PATCH', path, { name: 'Second' });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"[^"]+"$/)]);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(await etagOf(path)).toBe(changed.headers.get('etag'));
  });

  test('a request that changes no value keeps the ETag', async () => {
    const { path, etag } = await make();
    await call('PATCH', path, { name: 'Same' });
    const before = await call('GET', path);
    for (const body of [{}, { name: 'Same' }]) {
      const { headers } = await call('PATCH', path, body);
      expect(headers.get('etag')).toBe(before.headers.get('etag'));
    }
    expect((await call('GET', path)).body).toEqual(before.body);
    expect((await call('PATCH', path, {}, etag!)).status).toBe(412);
  });

  test('a PATCH with an outdated If-Match changes nothing, and gets 412 with the current ETag', async () => {
    const { path, etag } = await make();
    const before = (await call('GET', path)).body;
    const rejected = await call('PATCH', path, { name: 'Rejected' }, '"999"');
    expect([rejected.status, rejected.body.code, rejected.body.etag]).toEqual([
      412,
      'precondition_failed',
      etag,
    ]);
    expect(rejected.headers.get('content-type')).toBe('application/problem+json');
    expect(rejected.body.detail).toContain('Read the resource again');
    expect((await call('GET', path)).body).toEqual(before);
  });

  test.each([
    ['its own ETag', (etag: string) => etag],
    ['a list that has its ETag', (etag: string) => `"x", W/"y" , ${etag}`],
    ['a star', () => '*'],
  ])('a change whose If-Match has %s succeeds', async (_, toHeader) => {
    const { path, etag } = await make();
    expect((await call('PATCH', path, { name: 'Made' }, toHeader(etag!))).status).toBe(200);
  });

  test.each([
    ['a weak ETag', (etag: string) => `W/${etag}`],
    ['an ETag without quotes', (etag: string) => etag.replaceAll('"', '')],
    ['no ETag', () => ''],
    ['10,000 characters', () => 'x'.repeat(10_000)],
    ['a list of 2,500 others', () => Array(2_500).fill('"x"').join()],
    ['bytes above ASCII', () => '"\u00ff"'],
  ])('a change whose If-Match has %s gets 412', async (_, toHeader) => {
    const { path, etag } = await make();
    expect((await call('PATCH', path, { name: 'Rejected' }, toHeader(etag!))).status).toBe(412);
  });

  test('only one of ten concurrent changes with the same ETag succeeds', async () => {
    const { path, etag } = await make();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => call('PATCH', path, { name: `Name ${index}` }, etag!)),
    );
    const made = responses.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(9);
    expect((await call('GET', path)).body.name).toBe(made[0]?.body.name);
  });

  test('several If-Match headers count as one list', async () => {
    const { path, etag } = await make();
    expect(await sendRaw(path, ['If-Match: "x"', `If-Match: ${etag}`])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await sendRaw(path, ['If-Match: "x"', 'If-Match: "y"'])).toMatch(/^HTTP\/1\.1 412 /);
    expect(await sendRaw(path, ['If-Match: \0'])).toMatch(/^HTTP\/1\.1 400 /);
  });

  if (name === 'the settings') return;
  test('a DELETE with an outdated ETag in If-Match gets 412', async () => {
    const { path, etag } = await make();
    expect((await call('DELETE', path, undefined, '"999"')).status).toBe(412);
    expect((await call('DELETE', path, undefined, `W/${etag}`)).status).toBe(412);
    expect((await call('DELETE', path, undefined, etag!)).status).toBe(204);
    for (const ifMatch of ['*', etag!])
      expect((await call('DELETE', path, undefined, ifMatch)).status).toBe(404);
  });
});

/** Sends a PATCH with headers that fetch cannot send, and returns the whole response as text. */
async function sendRaw(path: string, headers: string[]): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const body = JSON.stringify({ name: randomUUID() });
  const socket = connect(Number(port), hostname);
  // The client does not half-close the connection, because the service would then drop the request. Instead, the header
  // `Connection: close` asks the service to close the connection.
  socket.write(
    [
      `PATCH ${path} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${await tokenOf('admin')}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  );
  return text(socket);
}

test('adding and force-deleting a webhook changes the ETags of its rule and of the settings', async () => {
  const [webhook, rule] = [await addWebhook(), await addRule()];
  await settingsOf();
  await call('PATCH', rule.path, { notification_webhook_ids: [webhook.id] }, rule.etag!);
  await call('PATCH', settings, { notice_webhook_ids: [webhook.id] }, '"0"');
  expect(await etagOf(webhook.path)).toBe(webhook.etag);
  const attached = [await etagOf(rule.path), await etagOf(settings)];
  expect(attached[0]).not.toBe(rule.etag);
  expect(attached[1]).not.toBe('"0"');
  expect((await call('DELETE', `${webhook.path}?force=true`)).status).toBe(204);
  const detached = [await etagOf(rule.path), await etagOf(settings)];
  for (const [index, etag] of detached.entries()) expect(etag).not.toBe(attached[index]);
  expect((await call('PATCH', rule.path, { name: 'Late' }, attached[0]!)).status).toBe(412);
});

test('automatic disabling changes the ETag of a webhook, but its health and pauses do not', async () => {
  const { path, id, etag } = await addWebhook();
  const { knex } = api.database;
  const since = new Date(Date.now() - 3_600_000);
  await knex('webhook_health').insert({ webhook_id: id, failing: true, since, last_attempt_at: since });
  const until = new Date(Date.now() + 60_000);
  await knex('webhook_pauses').insert({ webhook_id: id, reason: 'circuit', paused_until: until, times: 1 });
  const paused = await call('GET', path);
  expect([paused.body, paused.headers.get('etag')]).toMatchObject([{ health: { state: 'paused' } }, etag]);
  for (let index = 0; index < 20; index += 1)
    await insertDelivery(api.database, { workspaceId, webhookId: id, status: 'failed' });
  await knex('deliveries').where({ webhook_id: id }).update({ failed_at: new Date() });
  await reportWebhooks(api.database, { noticeAfterMs: 600_000, disableAfterMs: 60_000 });
  expect(await etagOf(path)).not.toBe(etag);
  expect((await call('PATCH', path, { enabled: true }, etag!)).status).toBe(412);
});

test('a change that waits for another change compares If-Match with the ETag after that change', async () => {
  const { path, id, etag } = await addWebhook();
  const holder = await api.database.knex.transaction();
  await holder('webhooks').where({ id }).update({ version: 2 });
  const waiting = call('PATCH', path, { name: 'Waiting' }, etag!);
  await untilLockWaits(api.database);
  await holder.commit();
  expect((await waiting).status).toBe(412);
});
