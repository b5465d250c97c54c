import { randomUUID } from 'node:crypto';
import type { SigningSecret, TestResult, Webhook as WebhookResource } from '@tocsin/contracts';
import { startHttpReceiver } from '@tocsin/testing';
import { Webhook } from 'standardwebhooks';
import { type Problem, startApi, type TestApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

type Saved = WebhookResource & Problem & { warnings: string[] };
type Created = SigningSecret & { secret: string };

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const single = (id: string) => `/api/v1/webhooks/${id}`;
const secretsOf = (id: string) => `${single(id)}/signing_secrets`;
const defaults = {
  retry_schedule_ms: null,
  timeout_ms: null,
  rate_limit: null,
  signing: false,
  idempotency_header: null,
  paused_until: null,
  disabled_reason: null,
};
const all = {
  retry_schedule_ms: [1_000, 43_200_000],
  timeout_ms: 20_000,
  rate_limit: { requests: 1_000, period_ms: 3_600_000 },
  signing: true,
  idempotency_header: 'X-Delivery',
};

let api: TestApi;
let destination: Awaited<ReturnType<typeof startHttpReceiver>>;
beforeAll(async () => {
  [api, destination] = await Promise.all([startApi(), startHttpReceiver()]);
});
afterAll(() => Promise.all([api.close(), destination.close()]));

async function create(fields: object = {}): Promise<Saved> {
  const body = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{"a": "é"}', ...fields };
  return (await api.call<Saved>('POST', webhooks, { body })).body;
}
const patch = (id: string, body: unknown) => api.call<Saved>('PATCH', single(id), { body });
const read = async (id: string) => (await api.call<WebhookResource>('GET', single(id))).body;
const addSecret = (id: string, body: object = {}) =>
  api.call<Created & Problem>('POST', secretsOf(id), { body });
const row = (table: string, id: string) => api.database.knex(table).where({ webhook_id: id }).first();

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('the options of a webhook', () => {
  test('webhook options are off by default, are saved, and null restores the default', async () => {
    const plain = await create();
    expect(plain).toMatchObject(defaults);
    const saved = await create({ ...all, headers: { 'Content-Type': ['application/json'] } });
    expect(saved).toMatchObject(all);
    expect(saved.warnings).toEqual([expect.stringContaining('signing')]);
    expect(await read(saved.id)).toMatchObject(all);
    const { disabled_reason, ...writable } = defaults;
    expect((await patch(saved.id, writable)).body).toMatchObject({ ...defaults, name: 'Hook' });
    expect((await patch(plain.id, all)).body).toMatchObject(all);
    expect((await patch(plain.id, { name: 'Renamed' })).body).toMatchObject(all);
  });

  test.each([
    ['a schedule of 11 steps', { retry_schedule_ms: Array(11).fill(1_000) }],
    ['a step below a second', { retry_schedule_ms: [999] }],
    ['a step above 12 hours', { retry_schedule_ms: [43_200_001] }],
    ['a step that is no integer', { retry_schedule_ms: [1_000.5] }],
    ['a step that is null', { retry_schedule_ms: [null] }],
    ['a schedule of 24 hours', { retry_schedule_ms: [43_200_000, 43_200_000] }],
    ['a schedule as text', { retry_schedule_ms: '1000' }],
    ['a timeout below a second', { timeout_ms: 999 }],
    ['a timeout above 20 s', { timeout_ms: 20_001 }],
    ['a timeout that is NaN', { timeout_ms: 'NaN' }],
    ['a limit of no request', { rate_limit: { requests: 0, period_ms: 1_000 } }],
    ['a limit of 1,001 requests', { rate_limit: { requests: 1_001, period_ms: 1_000 } }],
    ['a period below a second', { rate_limit: { requests: 1, period_ms: 999 } }],
    ['a period above an hour', { rate_limit: { requests: 1, period_ms: 3_600_001 } }],
    ['a limit without a period', { rate_limit: { requests: 1 } }],
    ['a limit with a further member', { rate_limit: { requests: 1, period_ms: 1_000, burst: 2 } }],
    ['signing as text', { signing: 'true' }],
    ['signing that is null', { signing: null }],
    ['an idempotency header of the connection', { idempotency_header: 'Host' }],
    ['an idempotency header of the signature', { idempotency_header: 'Webhook-ID' }],
    ['an idempotency header that is configured', { idempotency_header: 'x-team' }],
    ['an idempotency header with a line end', { idempotency_header: 'X\r\nY' }],
    ['an empty idempotency header', { idempotency_header: '' }],
    ['a header of the signature', { signing: true, headers: { 'Webhook-Id': ['mine'] } }],
    ['a pause of eight days', { paused_until: new Date(Date.now() + 8 * 86_400_000).toISOString() }],
    ['a pause without a zone', { paused_until: '2026-01-01T00:00:00' }],
    ['a disabled reason', { disabled_reason: 'mine' }],
  ])('a webhook with %s is refused and not changed', async (_, change) => {
    const { id } = await create({ headers: { 'X-Team': ['a'] } });
    const before = await read(id);
    const refused = await patch(id, { name: 'Renamed', ...change });
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(await read(id)).toEqual(before);
    const body = {
      name: 'H',
      url: 'http://127.0.0.1:9/',
      body: '{}',
      headers: { 'x-team': ['a'] },
      ...change,
    };
    expect((await api.call('POST', webhooks, { body })).status).toBe(422);
  });

  test('the problems of all options are reported together with those of the schema', async () => {
    const { id } = await create({ idempotency_header: 'X-Delivery' });
    const wrong = {
      timeout_ms: 1,
      retry_schedule_ms: [43_200_000, 43_200_000],
      paused_until: ahead(8 * 86_400_000),
      signing: true,
      headers: { 'webhook-id': ['a'], 'x-delivery': ['b'] },
    };
    const paths = [
      '/headers/webhook-id',
      '/idempotency_header',
      '/paused_until',
      '/retry_schedule_ms',
      '/timeout_ms',
    ];
    const pathsOf = ({ errors = [] }: Problem) => errors.map(({ path }) => path).sort();
    expect(pathsOf((await patch(id, wrong)).body)).toEqual(paths);
    const body = {
      name: 'H',
      url: 'http://127.0.0.1:9/',
      body: '{}',
      idempotency_header: 'x-delivery',
      ...wrong,
    };
    expect(pathsOf((await api.call<Saved>('POST', webhooks, { body })).body)).toEqual(paths);
    const types = {
      ...wrong,
      retry_schedule_ms: 'daily',
      paused_until: 1,
      signing: 'yes',
      headers: { a: 'b' },
    };
    expect(pathsOf((await patch(id, types)).body)).toEqual([
      '/headers/a',
      '/paused_until',
      '/retry_schedule_ms',
      '/signing',
      '/timeout_ms',
    ]);
  });

  test('a conflict of two options is found even if only one of them is in the request', async () => {
    const { id } = await create({ idempotency_header: 'X-Delivery' });
    expect((await patch(id, { headers: { 'x-delivery': ['a'] } })).status).toBe(422);
    expect((await patch(id, { headers: { 'webhook-signature': ['a'] } })).status).toBe(200);
    const { status, body } = await patch(id, { signing: true });
    expect([status, body.errors?.[0]?.path]).toEqual([422, '/headers/webhook-signature']);
  });

  test('the row of a rate limit exists while the webhook is enabled and has the limit', async () => {
    const limit = { requests: 5, period_ms: 1_000 };
    const { id } = await create({ rate_limit: limit });
    expect(await row('webhook_rate_limits', id)).toMatchObject(limit);
    await patch(id, { enabled: false });
    expect(await row('webhook_rate_limits', id)).toBeUndefined();
    await patch(id, { enabled: true });
    expect(await row('webhook_rate_limits', id)).toMatchObject(limit);
    await api.database
      .knex('webhook_rate_limits')
      .where({ webhook_id: id })
      .update({ next_at: '2999-01-01' });
    await patch(id, { rate_limit: { requests: 10, period_ms: 2_000 } });
    const changed = await row('webhook_rate_limits', id);
    expect(changed.next_at.getTime()).toBeLessThan(Date.now() + 60_000);
    await patch(id, { rate_limit: null });
    expect(await row('webhook_rate_limits', id)).toBeUndefined();
  });

  test('a due delivery of a webhook with a rate limit waits with the reason rate_limit', async () => {
    const { id: webhookId } = await create({ rate_limit: { requests: 5, period_ms: 1_000 } });
    const seed = (open: object) => seedDelivery(api.database, { webhookId, status: 'open', open });
    const reasonOf = async (id: string) =>
      (await api.call<{ waiting_reason: string }>('GET', `/api/v1/deliveries/${id}`)).body.waiting_reason;
    expect(await reasonOf(await seed({ due_at: new Date(0), waiting_reason: 'backlog' }))).toBe('rate_limit');
    expect(await reasonOf(await seed({ waiting_reason: 'retry' }))).toBe('retry');
  });
});

describe('a pause by hand', () => {
  test('a pause by hand is shown until its end, and a change of the URL does not end it', async () => {
    const until = ahead(60_000);
    const { id, paused } = await create({ paused_until: until });
    expect(paused).toMatchObject({ reason: 'manual', until, error: null });
    const changed = await patch(id, { url: 'http://127.0.0.1:9/other' });
    expect(changed.body).toMatchObject({ paused_until: until, paused: { reason: 'manual', until } });
    const longer = ahead(120_000);
    expect((await patch(id, { paused_until: longer })).body.paused).toMatchObject({ until: longer });
    expect((await patch(id, { paused_until: null })).body).toMatchObject({
      paused: null,
      paused_until: null,
    });
    expect(await row('webhook_pauses', id)).toBeUndefined();
    expect((await patch(id, { paused_until: ahead(-60_000) })).body.paused).toBeNull();
  });

  test('a pause by hand replaces a circuit pause, and ending it makes deliveries due', async () => {
    const { id: webhookId } = await create();
    const circuit = {
      webhook_id: webhookId,
      reason: 'circuit',
      paused_until: ahead(600_000),
      times: 3,
      error: 'e',
    };
    await api.database.knex('webhook_pauses').insert(circuit);
    const open = { due_at: ahead(60_000), waiting_reason: 'paused' };
    const id = await seedDelivery(api.database, { webhookId, status: 'open', open });
    expect((await patch(webhookId, { paused_until: ahead(60_000) })).body.paused).toMatchObject({
      error: null,
    });
    await patch(webhookId, { paused_until: null });
    const [waiting] = await api.database.knex('open_deliveries').where({ delivery_id: id });
    expect(waiting.due_at.getTime()).toBeLessThan(Date.now() + 1_000);
  });

  test('the times of all pauses by hand are stored, each up to its actual end', async () => {
    const { id } = await create({ paused_until: ahead(60_000) });
    await patch(id, { paused_until: null });
    await patch(id, { paused_until: ahead(60_000) });
    const pauses = async () =>
      (
        await api.database.knex.raw(
          `select extract(epoch from upper(p) - lower(p))::float8 as seconds
           from webhooks cross join lateral unnest(manual_pauses) p where id = ? order by lower(p)`,
          [id],
        )
      ).rows.map(({ seconds }: { seconds: number }) => Math.round(seconds));
    expect(await pauses()).toEqual([0, 60]);
    await patch(id, { paused_until: ahead(120_000) });
    expect(await pauses()).toEqual([0, 120]);
    for (let count = 0; count < 120; count += 1)
      await patch(id, { paused_until: count % 2 === 0 ? null : ahead(60_000) });
    expect((await pauses()).length).toBeLessThanOrEqual(101);
  });
});

describe('signing secrets', () => {
  test('a signing secret is shown once, listed without value, encrypted, and deletable', async () => {
    const { id } = await create({ signing: true });
    const { status, body } = await addSecret(id);
    expect([status, body.expires_at]).toEqual([201, null]);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret, ...shown } = body;
    expect((await api.call('GET', secretsOf(id))).body).toEqual([shown]);
    const stored = await row('webhook_signing_secrets', id);
    expect(stored.secret_encrypted.toString('latin1')).not.toContain(secret.slice(6));
    expect((await patch(id, { signing: true })).body.warnings).toEqual([]);
    expect((await api.call('DELETE', `${secretsOf(id)}/${body.id}`)).status).toBe(409);
    await patch(id, { signing: false });
    expect((await api.call('DELETE', `${secretsOf(id)}/${body.id.toUpperCase()}`)).status).toBe(204);
    expect((await api.call('DELETE', `${secretsOf(id)}/${body.id}`)).status).toBe(404);
  });

  test('a webhook has at most five signing secrets, and a new one can expire the others', async () => {
    const { id } = await create({ signing: true });
    for (let count = 0; count < 5; count += 1) expect((await addSecret(id)).status).toBe(201);
    expect((await addSecret(id)).status).toBe(409);
    expect((await addSecret(id, { expire_others_after_seconds: 60 })).status).toBe(409);
    const list = async () => (await api.call<SigningSecret[]>('GET', secretsOf(id))).body;
    expect((await list()).every(({ expires_at }) => expires_at === null)).toBe(true);
    const { body } = await addSecret(id, { expire_others_after_seconds: 0 });
    expect((await list()).map((one) => one.id)).toEqual([body.id]);
    const next = await addSecret(id, { expire_others_after_seconds: 60 });
    const expiries = (await list()).map(({ expires_at }) => expires_at);
    expect(expiries).toEqual([expect.any(String), null]);
    expect(Date.parse(expiries[0] ?? '') - Date.parse(next.body.created_at)).toBe(60_000);
  });

  test('twenty concurrent requests create five signing secrets at most', async () => {
    const { id } = await create();
    const responses = await Promise.all(Array.from({ length: 20 }, () => addSecret(id)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });

  test.each([
    ['a negative time', { expire_others_after_seconds: -1 }],
    ['more than 30 days', { expire_others_after_seconds: 2_592_001 }],
    ['a secret of the caller', { secret: 'whsec_AAAA' }],
    ['null', { expire_others_after_seconds: null }],
  ])('a signing secret request with %s is refused', async (_, body) => {
    const { id } = await create();
    expect((await addSecret(id, body)).status).toBe(422);
    expect(await row('webhook_signing_secrets', id)).toBeUndefined();
  });

  test('signing secrets need webhook_update, and are deleted with their webhook', async () => {
    const { id } = await create();
    const { body } = await addSecret(id);
    for (const as of ['reader', 'responder', 'publisher', 'outsider'] as const) {
      expect((await api.call('GET', secretsOf(id), { as })).status).toBe(403);
      expect((await api.call('POST', secretsOf(id), { as, body: {} })).status).toBe(403);
      expect((await api.call('DELETE', `${secretsOf(id)}/${body.id}`, { as })).status).toBe(403);
    }
    const other = await create();
    expect((await api.call('DELETE', `${secretsOf(other.id)}/${body.id}`)).status).toBe(404);
    expect((await api.call('GET', secretsOf(randomUUID()))).status).toBe(404);
    await api.call('DELETE', single(id));
    expect(await row('webhook_signing_secrets', id)).toBeUndefined();
  });

  test('a new signing secret makes the deliveries due that wait for one', async () => {
    const { id: webhookId } = await create({ signing: true });
    const due_at = new Date(Date.now() + 60_000);
    const seed = (waiting_reason: string) =>
      seedDelivery(api.database, { webhookId, status: 'open', open: { due_at, waiting_reason } });
    const [waiting, retry] = [await seed('no_signing_secret'), await seed('retry')];
    await addSecret(webhookId);
    const dueOf = async (id: string) =>
      (await api.database.knex('open_deliveries').where({ delivery_id: id }).first()).due_at.getTime();
    expect(await dueOf(waiting)).toBeLessThan(due_at.getTime() - 50_000);
    expect(await dueOf(retry)).toBe(due_at.getTime());
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
    const { id } = await create({ signing: true, idempotency_header: 'X-Id', url: destination.url(path) });
    const send = async () => (await api.call<TestResult>('POST', `${single(id)}/test`, { body: {} })).body;
    const refused = await send();
    expect(refused).toMatchObject({ success: false, response: null });
    expect(refused.error).toMatch(/^no_signing_secret: /);
    expect(destination.at(path)).toEqual([]);
    const { secret } = (await addSecret(id)).body;
    expect(await send()).toMatchObject({ success: true });
    const [request] = destination.at(path);
    const headers = headersOf(request!.rawHeaders);
    expect(new Webhook(secret).verify(request!.body, headers)).toEqual({ a: 'é' });
    expect(headers['x-id']).toBe(headers['webhook-id']);
    await api.call('POST', `${webhooks}/test`, { body: { url: destination.url(path), body: '{}' } });
    const names = destination.at(path)[1]!.rawHeaders.filter((_, index) => index % 2 === 0);
    expect(names.map((name) => name.toLowerCase()).sort()).toEqual(['connection', 'content-length', 'host']);
  });

  test('a test of a saved webhook has the time limit of the webhook', async () => {
    const path = `/${randomUUID()}`;
    destination.respond(path, () => {});
    const { id } = await create({ timeout_ms: 1_000, url: destination.url(path) });
    const { body } = await api.call<TestResult>('POST', `${single(id)}/test`, { body: {} });
    expect(body.error).toMatch(/^timeout: /);
    expect(body.duration_ms).toBeLessThan(3_000);
  });
});
