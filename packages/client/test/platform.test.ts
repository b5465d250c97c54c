import { randomUUID } from 'node:crypto';
import { adminKey } from '../../../services/engine-auth/test/support/engine.js';
import {
  ClientCredentialsSession,
  ConflictError,
  createEngineClient,
  createPlatformClient,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
} from '../src/index.js';
import { startServices } from './support/services.js';

type Services = Awaited<ReturnType<typeof startServices>>;
let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.close());

const workspaceId = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';
const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}') as Record<
  string,
  { client_id: string; client_secret: string }
>;

function sessionOf(role: string) {
  const { client_id = '', client_secret = '' } = clients[role] ?? {};
  const issuer = process.env.TOCSIN_TEST_OIDC_ISSUER ?? '';
  return new ClientCredentialsSession({ issuer, clientId: client_id, clientSecret: client_secret });
}
const platformAs = (role: string) =>
  createPlatformClient({ url: services.apiUrl, credential: sessionOf(role), workspaceId });

test('webhooks and rules can be created, changed and deleted with the client', async () => {
  const tocsin = platformAs('editor');
  const webhook = await tocsin.webhooks.create({
    name: 'chat',
    url: 'http://127.0.0.1:9/hook',
    headers: { 'Content-Type': ['application/json'] },
    body: '{"text": "{{ alert_rule_name }}"}',
  });
  expect(await tocsin.webhooks.get(webhook.id)).toMatchObject({ name: 'chat', workspace_id: workspaceId });
  expect((await tocsin.webhooks.update(webhook.id, { name: 'talk' })).name).toBe('talk');
  const rule = await tocsin.alertRules.create({
    name: 'drift',
    model_id: randomUUID(),
    threshold: 0.4,
    bound: 'upper_bound',
    notification_webhook_ids: [webhook.id],
  });
  await expect(tocsin.webhooks.delete(webhook.id)).rejects.toBeInstanceOf(ConflictError);
  await tocsin.webhooks.delete(webhook.id, { force: true });
  await expect(tocsin.webhooks.get(webhook.id)).rejects.toBeInstanceOf(NotFoundError);
  expect((await tocsin.alertRules.get(rule.id)).notification_webhook_ids).toEqual([]);
  await tocsin.alertRules.delete(rule.id);
});

test('a list with several pages returns each entry once', async () => {
  const tocsin = platformAs('editor');
  const names = Array.from({ length: 7 }, (_, index) => `paged-${index}`);
  for (const name of names) await tocsin.webhooks.create({ name, url: 'http://127.0.0.1:9/', body: '{}' });
  const read: string[] = [];
  for await (const { name } of tocsin.webhooks.list({ name: 'paged-', sort: 'name', limit: 2 }))
    read.push(name);
  expect(read).toEqual(names);
  const first = await tocsin.webhooks.list({ name: 'paged-', limit: 4 }).firstPage();
  const last = await first.next?.();
  expect([first.items.length, last?.items.length, last?.next]).toEqual([4, 3, undefined]);
});

test('a preview renders a template without sending it', async () => {
  const preview = await platformAs('editor').webhooks.preview({ body: '{"v": {{ nothing }}}' });
  expect(preview).toMatchObject({ rendered: expect.any(String), warnings: expect.any(Array) });
});

test('a validation error has the path of each problem', async () => {
  const create = platformAs('editor').webhooks.create({ name: '', url: 'nonsense', body: '{{' });
  await expect(create).rejects.toBeInstanceOf(InvalidRequestError);
  await expect(create).rejects.toMatchObject({
    code: 'validation_failed',
    errors: expect.arrayContaining([expect.objectContaining({ path: '/name' })]),
  });
});

test("a call without permission throws ForbiddenError, and whoami returns the caller's roles", async () => {
  await expect(platformAs('outsider').webhooks.list().toArray()).rejects.toBeInstanceOf(ForbiddenError);
  expect((await platformAs('reader').whoami()).workspaces).toEqual({ [workspaceId]: ['reader'] });
});

test('the client fires alerts, creates redelivery jobs, and lists deliveries and dead letters', async () => {
  const tocsin = platformAs('admin');
  const rule = await tocsin.alertRules.create({
    name: 'drift',
    model_id: randomUUID(),
    threshold: 0.4,
    bound: 'upper_bound',
  });
  const fired = { alert_rule_id: rule.id, model_id: rule.model_id, model_name: 'm', metric_value: 0.5 };
  expect((await tocsin.alerts.fire(fired)).alert_id).toMatch(/^[0-9a-f-]{36}$/);
  const job = await tocsin.redeliveries.create({ status: 'failed', alert_rule_id: rule.id });
  expect((await tocsin.redeliveries.get(job.id)).matched).toBe(0);
  expect(await tocsin.deadLetters.list().toArray()).toEqual([]);
  expect(await tocsin.deliveries.list({ alert_rule_id: rule.id }).toArray()).toEqual([]);
  await tocsin.health.readiness();
});

test('an engine key can be created, verified and deactivated', async () => {
  const admin = createEngineClient({ url: services.engineUrl, credential: sessionOf('admin') });
  const { id, key } = await admin.keys.create({ description: 'monitor' });
  const user = createEngineClient({ url: services.engineUrl, credential: key });
  expect(await user.verify({ method: 'PUT' })).toMatchObject({ kind: 'user_key' });
  await expect(user.keys.list()).rejects.toBeInstanceOf(ForbiddenError);
  await admin.keys.deactivate(id);
  expect(await admin.keys.get(id)).toMatchObject({ id, is_active: false });
  const ids = (await admin.keys.list()).map((listed) => listed.id);
  expect(ids).toContain(id);
});

test('a credential with characters outside ASCII is sent as UTF-8', async () => {
  const engine = createEngineClient({ url: services.engineUrl, credential: adminKey });
  expect(await engine.verify()).toMatchObject({ kind: 'admin_key' });
});
