import { randomUUID } from 'node:crypto';
import type { Delivery, Webhook } from '@tocsin/contracts';
import { useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const single = (id: string) => `/api/v1/webhooks/${id}`;
const aMinuteMs = 60_000;

const api = useApi();

const read = async (id: string, as: 'editor' | 'reader' = 'reader') =>
  (await api.call<Webhook>('GET', single(id), { as })).body;

async function createWebhook(): Promise<string> {
  const body = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}' };
  const created = await api.call<Webhook>('POST', webhooks, { body });
  expect(created.body.paused).toBeNull();
  return created.body.id;
}

/** Inserts the row of a pause that a worker would write. The pause ends in `forMs` milliseconds. */
async function pause(webhookId: string, { reason = 'circuit', forMs = aMinuteMs } = {}) {
  const since = new Date(Date.now() - aMinuteMs);
  const until = new Date(Date.now() + forMs);
  const error = 'The destination responded with status 500.';
  const row = { webhook_id: webhookId, reason, since, paused_until: until, times: 1, error };
  await api.database.knex('webhook_pauses').insert(row).onConflict('webhook_id').merge();
  return { reason, since: since.toISOString(), until: until.toISOString(), error };
}

describe('a paused webhook', () => {
  test.each(['circuit', 'retry_after'])('a webhook shows its pause with the reason %s', async (reason) => {
    const id = await createWebhook();
    const paused = await pause(id, { reason });
    expect((await read(id)).paused).toEqual(paused);
    expect((await read(id, 'editor')).paused).toEqual(paused);
    const { body } = await api.call<Webhook[]>('GET', webhooks);
    expect(body.find((webhook) => webhook.id === id)?.paused).toEqual(paused);
  });

  test('a pause that has ended is not shown while probes test the destination', async () => {
    const id = await createWebhook();
    await pause(id, { forMs: -1 });
    expect((await read(id)).paused).toBeNull();
  });

  test('the response to a change of a webhook shows its pause unless the change has ended it', async () => {
    const id = await createWebhook();
    const paused = await pause(id);
    const patch = async (body: object) =>
      (await api.call<Webhook>('PATCH', single(id), { body })).body.paused;
    expect(await patch({ name: 'Renamed' })).toEqual(paused);
    expect(await patch({})).toEqual(paused);
    expect(await patch({ url: 'http://127.0.0.1:9/other' })).toBeNull();
    expect((await read(id)).paused).toBeNull();
  });

  test('a request that sets the field `paused` of a webhook is rejected', async () => {
    const id = await createWebhook();
    const { status } = await api.call('PATCH', single(id), { body: { paused: null } });
    expect(status).toBe(422);
  });
});

describe('the reason why a delivery waits', () => {
  const inMs = (ms: number) => new Date(Date.now() + ms);
  const seed = (webhookId: string, open: object) =>
    seedDelivery(api.database, { webhookId, status: 'open', open });
  const reasonOf = async (id: string) => {
    const { body } = await api.call<Delivery>('GET', `/api/v1/deliveries/${id}`, { as: 'reader' });
    const list = `/api/v1/workspaces/${workspaceId}/deliveries?webhook_id=${body.webhook_id}`;
    const listed = (await api.call<Delivery[]>('GET', list)).body.find((delivery) => delivery.id === id);
    expect(listed?.waiting_reason).toBe(body.waiting_reason);
    return body.waiting_reason;
  };

  test.each([
    ['retry', 60_000, 'retry'],
    ['retry', -1_000, 'backlog'],
    ['backlog', -1_000, 'backlog'],
    ['paused', -1_000, 'backlog'],
    ['paused', 60_000, 'backlog'],
    ['no_slot', -1_000, 'no_slot'],
    ['no_slot', 1_000, 'no_slot'],
    ['crashed', 5_000, 'crashed'],
    ['undecryptable', 5_000, 'undecryptable'],
    ['render_budget', 5_000, 'render_budget'],
  ])(
    'a delivery with the stored reason %s that is due in %d ms shows the reason %s',
    async (waiting_reason, dueInMs, shown) => {
      const id = await seed(await createWebhook(), { waiting_reason, due_at: inMs(dueInMs) });
      expect(await reasonOf(id)).toBe(shown);
    },
  );

  test.each([
    ['retry', 'retry'],
    ['backlog', 'backlog'],
    ['no_slot', 'no_slot'],
    ['paused', 'backlog'],
  ])(
    'a delivery with the stored reason %s shows paused during a pause, and %s after it',
    async (waiting_reason, shown) => {
      const webhookId = await createWebhook();
      const id = await seed(webhookId, { waiting_reason, due_at: inMs(90_000) });
      await pause(webhookId);
      expect(await reasonOf(id)).toBe('paused');
      await pause(webhookId, { forMs: -1 });
      expect(await reasonOf(id)).toBe(shown);
    },
  );

  test('a delivery that does not wait has no waiting reason, even during a pause', async () => {
    const webhookId = await createWebhook();
    await pause(webhookId);
    const leased = { state: 'queued', lease_until: inMs(60_000) };
    expect(await reasonOf(await seed(webhookId, leased))).toBeNull();
    expect(await reasonOf(await seed(webhookId, { state: 'queued', claimed_by: randomUUID() }))).toBeNull();
    expect(await reasonOf(await seedDelivery(api.database, { webhookId }))).toBeNull();
  });

  test('a redelivered delivery waits with the reason backlog', async () => {
    const id = await seedDelivery(api.database, { webhookId: await createWebhook() });
    const { body } = await api.call<Delivery>('POST', `/api/v1/deliveries/${id}/redeliver`);
    expect(body).toMatchObject({ status: 'waiting', waiting_reason: 'backlog' });
  });
});
