import { randomUUID } from 'node:crypto';
import type { SigningSecret, TestResult } from '@tocsin/contracts';
import { startHttpReceiver } from '@tocsin/testing';
import { Webhook } from 'standardwebhooks';
import { startApi, type TestApi } from './support/api.js';
import { foreignBox, seedDelivery } from './support/history.js';
import { createWebhookCalls, secretsOf, single, webhooks } from './support/webhook-calls.js';

let api: TestApi;
let calls: ReturnType<typeof createWebhookCalls>;
let destination: Awaited<ReturnType<typeof startHttpReceiver>>;
beforeAll(async () => {
  [api, destination] = await Promise.all([startApi(), startHttpReceiver()]);
  calls = createWebhookCalls(api);
});
afterAll(() => Promise.all([api.close(), destination.close()]));

describe('signing secrets', () => {
  test('the value of a signing secret is shown only at its creation, and is stored encrypted', async () => {
    const { id } = await calls.create({ signing: true });
    const { status, body } = await calls.addSecret(id);
    expect([status, body.expires_at]).toEqual([201, null]);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret, ...shown } = body;
    expect((await api.call('GET', secretsOf(id))).body).toEqual([shown]);
    const stored = await calls.row('webhook_signing_secrets', id);
    expect(stored.secret_encrypted.toString('latin1')).not.toContain(secret.slice(6));
    expect((await calls.patch(id, { signing: true })).body.warnings).toEqual([]);
    expect((await api.call('DELETE', `${secretsOf(id)}/${body.id}`)).status).toBe(409);
    await calls.patch(id, { signing: false });
    expect((await api.call('DELETE', `${secretsOf(id)}/${body.id.toUpperCase()}`)).status).toBe(204);
    expect((await api.call('DELETE', `${secretsOf(id)}/${body.id}`)).status).toBe(404);
  });

  test('a webhook has at most five signing secrets, and a new one can expire the others', async () => {
    const { id } = await calls.create({ signing: true });
    for (let count = 0; count < 5; count += 1) expect((await calls.addSecret(id)).status).toBe(201);
    expect((await calls.addSecret(id)).status).toBe(409);
    expect((await calls.addSecret(id, { expire_others_after_seconds: 60 })).status).toBe(409);
    const list = async () => (await api.call<SigningSecret[]>('GET', secretsOf(id))).body;
    expect((await list()).every(({ expires_at }) => expires_at === null)).toBe(true);
    const { body } = await calls.addSecret(id, { expire_others_after_seconds: 0 });
    expect((await list()).map((one) => one.id)).toEqual([body.id]);
    const next = await calls.addSecret(id, { expire_others_after_seconds: 60 });
    const expiries = (await list()).map(({ expires_at }) => expires_at);
    expect(expiries).toEqual([expect.any(String), null]);
    expect(Date.parse(expiries[0] ?? '') - Date.parse(next.body.created_at)).toBe(60_000);
  });

  test('an expired secret is not shown, and a new secret does not extend the expiry of others', async () => {
    const { id } = await calls.create();
    const secrets = api.database.knex('webhook_signing_secrets').where({ webhook_id: id });
    const [expired, early] = [(await calls.addSecret(id)).body, (await calls.addSecret(id)).body];
    const [past, soon] = [-60_000, 10_000].map((ms) => new Date(Date.now() + ms));
    await secrets.clone().where({ id: expired.id }).update({ expires_at: past });
    await secrets.clone().where({ id: early.id }).update({ expires_at: soon });
    const listed = (await api.call<SigningSecret[]>('GET', secretsOf(id))).body;
    expect(listed.map((one) => one.id)).toEqual([early.id]);
    await calls.addSecret(id, { expire_others_after_seconds: 60 });
    expect(await secrets.clone().where({ id: early.id }).pluck('expires_at')).toEqual([soon]);
    expect(await secrets.clone().where({ id: expired.id })).toEqual([]);
  });

  test('creating or deleting a signing secret increases the version of its webhook', async () => {
    const { id } = await calls.create();
    const versionOf = async () => (await api.database.knex('webhooks').where({ id }).first()).version;
    const created = await calls.read(id);
    const { body } = await calls.addSecret(id);
    expect(await versionOf()).toBe(2);
    await api.call('DELETE', `${secretsOf(id)}/${body.id}`, { as: 'admin' });
    expect(await versionOf()).toBe(3);
    const changed = await calls.read(id);
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(created.updated_at));
    expect(changed.last_updated_by).not.toBe(created.last_updated_by);
  });

  test('twenty concurrent requests create five signing secrets at most', async () => {
    const { id } = await calls.create();
    const responses = await Promise.all(Array.from({ length: 20 }, () => calls.addSecret(id)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });

  test.each([
    ['a negative time', { expire_others_after_seconds: -1 }],
    ['more than 30 days', { expire_others_after_seconds: 2_592_001 }],
    ['a secret of the caller', { secret: 'whsec_AAAA' }],
    ['null', { expire_others_after_seconds: null }],
  ])('a signing secret request with %s is rejected', async (_, body) => {
    const { id } = await calls.create();
    expect((await calls.addSecret(id, body)).status).toBe(422);
    expect(await calls.row('webhook_signing_secrets', id)).toBeUndefined();
  });

  test('signing secrets need webhook_update, and are deleted with their webhook', async () => {
    const { id } = await calls.create();
    const { body } = await calls.addSecret(id);
    for (const as of ['reader', 'responder', 'publisher', 'outsider'] as const) {
      expect((await api.call('GET', secretsOf(id), { as })).status).toBe(403);
      expect((await api.call('POST', secretsOf(id), { as, body: {} })).status).toBe(403);
      expect((await api.call('DELETE', `${secretsOf(id)}/${body.id}`, { as })).status).toBe(403);
    }
    const other = await calls.create();
    expect((await api.call('DELETE', `${secretsOf(other.id)}/${body.id}`)).status).toBe(404);
    expect((await api.call('GET', secretsOf(randomUUID()))).status).toBe(404);
    await api.call('DELETE', single(id));
    expect(await calls.row('webhook_signing_secrets', id)).toBeUndefined();
  });

  test('deliveries that wait for a signing secret become due when one is created', async () => {
    const { id: webhookId } = await calls.create({ signing: true });
    const due_at = new Date(Date.now() + 60_000);
    const seed = (waiting_reason: string, ofWebhook = webhookId) =>
      seedDelivery(api.database, {
        webhookId: ofWebhook,
        status: 'open',
        open: { due_at, waiting_reason },
      });
    const [waiting, retry] = [await seed('no_signing_secret'), await seed('retry')];
    const other = await seed('no_signing_secret', randomUUID());
    await calls.addSecret(webhookId);
    const dueOf = async (id: string) =>
      (await api.database.knex('open_deliveries').where({ delivery_id: id }).first()).due_at.getTime();
    expect(await dueOf(waiting)).toBeLessThan(due_at.getTime() - 50_000);
    expect([await dueOf(retry), await dueOf(other)]).toEqual([due_at.getTime(), due_at.getTime()]);
  });
});

describe('tests of a webhook with options', () => {
  const headersOf = (rawHeaders: string[]) =>
    Object.fromEntries(
      rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1]!]] : [],
      ),
    );

  test('a test of a saved webhook is signed, and a test of an unsaved one is not', async () => {
    const path = `/${randomUUID()}`;
    const { id } = await calls.create({
      signing: true,
      idempotency_header: 'X-Id',
      url: destination.url(path),
    });
    const send = async () => (await api.call<TestResult>('POST', `${single(id)}/test`, { body: {} })).body;
    const rejected = await send();
    expect(rejected).toMatchObject({ success: false, response: null });
    expect(rejected.error).toMatch(/^no_signing_secret: /);
    expect(destination.at(path)).toEqual([]);
    const { secret } = (await calls.addSecret(id)).body;
    expect(await send()).toMatchObject({ success: true });
    const [request] = destination.at(path);
    const headers = headersOf(request!.rawHeaders);
    expect(new Webhook(secret).verify(request!.body, headers)).toEqual({ a: 'é' });
    expect(headers['x-id']).toBe(headers['webhook-id']);
    await api.call('POST', `${webhooks}/test`, { body: { url: destination.url(path), body: '{}' } });
    const names = destination.at(path)[1]!.rawHeaders.filter((_, index) => index % 2 === 0);
    expect(names.map((name) => name.toLowerCase()).sort()).toEqual(['connection', 'content-length', 'host']);
  });

  test('a test with a signing secret that cannot be decrypted gets 409 and sends nothing', async () => {
    const path = `/${randomUUID()}`;
    const { id, workspace_id: workspaceId } = await calls.create({
      signing: true,
      url: destination.url(path),
    });
    const secret = (await calls.addSecret(id)).body;
    const location = { workspaceId, table: 'webhook_signing_secrets', id: secret.id, column: 'secret' };
    await api.database
      .knex('webhook_signing_secrets')
      .where({ id: secret.id })
      .update({ secret_encrypted: foreignBox.encrypt('s'.repeat(32), location) });
    const { status, body } = await api.call('POST', `${single(id)}/test`, { body: {} });
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'undecryptable', key_id: 'k9' })]);
    expect(body.detail).toContain(`Create another signing secret, and delete ${secret.id}.`);
    expect(destination.at(path)).toEqual([]);
  });

  test('a test of a saved webhook has the time limit of the webhook', async () => {
    const path = `/${randomUUID()}`;
    destination.respond(path, () => {});
    const { id } = await calls.create({ timeout_ms: 1_000, url: destination.url(path) });
    const { body } = await api.call<TestResult>('POST', `${single(id)}/test`, { body: {} });
    expect(body.error).toMatch(/^timeout: /);
    expect(body.duration_ms).toBeLessThan(3_000);
  });
});
