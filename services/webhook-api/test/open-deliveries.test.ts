import type { Delivery, Webhook } from '@tocsin/contracts';
import { useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

const anHourMs = 3_600_000;
const inAnHour = () => new Date(Date.now() + anHourMs);

const api = useApi();

const url = 'https://chat.example.com/hooks/a';
const path = (id: string) => `/api/v1/webhooks/${id}`;
const patch = (id: string, body: object) => api.call('PATCH', path(id), { body });

async function createWebhook(): Promise<string> {
  const fields = { name: 'Chat', url, headers: { 'X-A': ['1'] }, body: '{}' };
  return (await api.call<Webhook>('POST', `/api/v1/workspaces/${workspaceId}/webhooks`, { body: fields }))
    .body.id;
}

const pause = (webhookId: string) =>
  api.database
    .knex('webhook_pauses')
    .insert({ webhook_id: webhookId, reason: 'retry_after', paused_until: inAnHour(), times: 1 });
const isPaused = async (webhookId: string) =>
  (await api.database.knex('webhook_pauses').where({ webhook_id: webhookId })).length > 0;
const retryIn = (webhookId: string, open: object = {}) =>
  seedDelivery(api.database, { webhookId, status: 'open', open: { step: 1, ...open } });
const isDue = async (deliveryId: string) => {
  const row = await api.database.knex('open_deliveries').where({ delivery_id: deliveryId }).first();
  return row.due_at.getTime() <= Date.now() + 1_000;
};

describe('deliveries that wait for a webhook', () => {
  test('waiting deliveries become due at once when their webhook is deleted', async () => {
    const [webhookId, other] = [await createWebhook(), await createWebhook()];
    const [waiting, others] = [await retryIn(webhookId), await retryIn(other)];
    const queued = await retryIn(webhookId, { state: 'queued', lease_until: inAnHour() });
    expect((await api.call('DELETE', path(webhookId))).status).toBe(204);
    expect(await Promise.all([waiting, others, queued].map(isDue))).toEqual([true, false, false]);
  });

  test('waiting deliveries become due when their webhook is disabled, but not when it is renamed', async () => {
    const webhookId = await createWebhook();
    const waiting = await retryIn(webhookId);
    await patch(webhookId, { name: 'Renamed', enabled: true });
    expect(await isDue(waiting)).toBe(false);
    await patch(webhookId, { enabled: false });
    expect(await isDue(waiting)).toBe(true);
  });

  test.each([
    ['path of the url', { url: 'https://chat.example.com/hooks/b' }],
    ['headers', { headers: { 'X-A': ['2'] } }],
    ['body', { body: '{"a": 1}' }],
  ])('a change of the %s ends the pause and makes deliveries without an attempt due', async (_, change) => {
    const webhookId = await createWebhook();
    await pause(webhookId);
    const [untried, retry] = [await retryIn(webhookId, { step: 0 }), await retryIn(webhookId)];
    await patch(webhookId, change);
    expect(await isPaused(webhookId)).toBe(false);
    expect([await isDue(untried), await isDue(retry)]).toEqual([true, false]);
  });

  test('postponed deliveries become due when a change of their webhook ends its pause', async () => {
    const webhookId = await createWebhook();
    await pause(webhookId);
    const postponed = await retryIn(webhookId, { waiting_reason: 'paused' });
    await patch(webhookId, { body: '{"b": 1}' });
    expect(await isDue(postponed)).toBe(true);
  });

  test('deleting a webhook ends its pause but not the pause of another webhook', async () => {
    const [webhookId, other] = [await createWebhook(), await createWebhook()];
    await Promise.all([pause(webhookId), pause(other)]);
    expect((await api.call('DELETE', path(webhookId))).status).toBe(204);
    expect([await isPaused(webhookId), await isPaused(other)]).toEqual([false, true]);
  });

  test('a change of a webhook that does not affect its requests does not end its pause', async () => {
    const webhookId = await createWebhook();
    await pause(webhookId);
    await patch(webhookId, { name: 'Renamed', url, retry_on_timeout: false });
    expect(await isPaused(webhookId)).toBe(true);
  });

  test("the shown time of the next attempt is not before the end of the webhook's pause", async () => {
    const webhookId = await createWebhook();
    await pause(webhookId);
    const id = await retryIn(webhookId, { due_at: new Date(Date.now() - anHourMs) });
    const one = await api.call<Delivery>('GET', `/api/v1/deliveries/${id}`);
    expect(Date.parse(one.body.next_attempt_at ?? '')).toBeGreaterThan(Date.now());
    const list = `/api/v1/workspaces/${workspaceId}/deliveries?webhook_id=${webhookId}`;
    const [listed] = (await api.call<Delivery[]>('GET', list)).body;
    expect(listed?.next_attempt_at).toBe(one.body.next_attempt_at);
  });
});
