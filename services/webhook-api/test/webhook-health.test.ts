import type { Webhook } from '@tocsin/contracts';
import { applyStatsChanges } from '@tocsin/deliveries';
import { useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const single = (id: string) => `/api/v1/webhooks/${id}`;
const aMinuteAgo = new Date(Date.now() - 60_000);
const hourMs = 3_600_000;

const api = useApi();

async function createWebhook(fields: object = {}): Promise<Webhook> {
  const body = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}', ...fields };
  return (await api.call<Webhook>('POST', webhooks, { body })).body;
}

/** Inserts the row in which workers store the result of the last attempt of a webhook. */
async function attempted(id: string, changes: object = {}): Promise<void> {
  const times = { since: aMinuteAgo, last_attempt_at: new Date() };
  await api.database.knex('webhook_health').insert({ webhook_id: id, failing: false, ...times, ...changes });
}

const failure = { code: 'http_status', error: 'The destination responded with status 500.' };
const failed = { failing: true, error_code: failure.code, error: failure.error, error_at: aMinuteAgo };

/** Returns the health of a webhook. Expects that the response for the webhook and the list contain the same health. */
async function healthOf(id: string): Promise<Webhook['health']> {
  const { health } = (await api.call<Webhook>('GET', single(id), { as: 'reader' })).body;
  const { body: list } = await api.call<Webhook[]>('GET', webhooks, { as: 'reader' });
  expect(list.find((webhook) => webhook.id === id)?.health).toEqual(health);
  return health;
}

const since = aMinuteAgo.toISOString();

test('the health of a webhook is unknown until its first attempt', async () => {
  const unknown = { state: 'unknown', since: null, last_error: null, success_rate_24h: null };
  const { id, health } = await createWebhook();
  expect(health).toEqual(unknown);
  expect(await healthOf(id)).toEqual(unknown);
});

test('the health of a webhook has its state, the start of that state, and its last error', async () => {
  const { id } = await createWebhook();
  await attempted(id);
  expect(await healthOf(id)).toMatchObject({ state: 'healthy', since, last_error: null });
  await api.database.knex('webhook_health').where({ webhook_id: id }).update(failed);
  expect(await healthOf(id)).toMatchObject({
    state: 'failing',
    since,
    last_error: { ...failure, at: since },
  });
});

test('after 24 hours without an attempt, the health is unknown and still has the last error', async () => {
  const { id } = await createWebhook();
  await attempted(id, { ...failed, last_attempt_at: new Date(Date.now() - 25 * hourMs) });
  expect(await healthOf(id)).toMatchObject({ state: 'unknown', since: null, last_error: failure });
});

test('the health state disabled takes precedence over paused, and paused over failing', async () => {
  const { id } = await createWebhook();
  await attempted(id, failed);
  const pause = {
    reason: 'circuit',
    since: aMinuteAgo,
    paused_until: new Date(Date.now() + hourMs),
    times: 1,
  };
  await api.database.knex('webhook_pauses').insert({ webhook_id: id, ...pause });
  expect(await healthOf(id)).toMatchObject({ state: 'paused', since });
  const { body } = await api.call<Webhook>('PATCH', single(id), { body: { enabled: false } });
  expect(body.health).toMatchObject({ state: 'disabled', since: body.updated_at });
  // A later change of another field keeps the time at which the webhook was disabled.
  const renamed = await api.call<Webhook>('PATCH', single(id), { body: { name: 'Renamed' } });
  expect(renamed.body.health).toEqual(body.health);
  const enabled = await api.call<Webhook>('PATCH', single(id), { body: { enabled: true } });
  expect(enabled.body.health.state).toBe('failing');
});

test('a webhook that is created as disabled has the health state disabled', async () => {
  const { health, created_at } = await createWebhook({ enabled: false });
  expect(health).toMatchObject({ state: 'disabled', since: created_at });
});

test('the success rate covers deliveries of the last 24 hours that succeeded or failed', async () => {
  const { id } = await createWebhook();
  const seed = (status: 'open' | 'succeeded' | 'failed' | 'skipped', hoursAgo: number) =>
    seedDelivery(api.database, { webhookId: id, status, acceptedAtMs: Date.now() - hoursAgo * hourMs });
  await seed('open', 1);
  await seed('skipped', 1);
  expect((await healthOf(id)).success_rate_24h).toBeNull();
  await seed('failed', 23);
  expect((await healthOf(id)).success_rate_24h).toBe(0);
  await seed('succeeded', 2);
  await seed('succeeded', 3);
  await seed('failed', 30);
  const { id: other } = await createWebhook();
  const seedOther = () =>
    seedDelivery(api.database, { webhookId: other, status: 'failed', acceptedAtMs: Date.now() - hourMs });
  await seedOther();
  await applyStatsChanges(api.database);
  await seedOther();
  await seed('succeeded', 0);
  await seed('failed', 26);
  expect((await healthOf(id)).success_rate_24h).toBe(0.75);
  expect((await healthOf(other)).success_rate_24h).toBe(0);
});

test('the health of a webhook is deleted with the webhook', async () => {
  const { id } = await createWebhook();
  await attempted(id);
  expect((await api.call('DELETE', single(id))).status).toBe(204);
  expect(await api.database.knex('webhook_health').where({ webhook_id: id })).toEqual([]);
});
