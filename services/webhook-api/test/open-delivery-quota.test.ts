import { randomUUID } from 'node:crypto';
import type { Alert } from '@tocsin/contracts';
import { insertAlertRule, insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, startApi, type TestApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';
import { startInbox } from './support/inbox.js';

const pathOf = (workspace: string) => `/api/v1/workspaces/${workspace}/alerts`;

let api: TestApi;
let inbox: Awaited<ReturnType<typeof startInbox>>;
let webhookId: string;
let alertRuleId: string;

async function start(openDeliveries: { perWebhook: number; perWorkspace: number }) {
  api = await startApi({ limits: { openDeliveries } });
  inbox = await startInbox(api.broker.url);
  webhookId = await insertWebhook(api.database, { workspaceId });
  alertRuleId = await insertAlertRule(api.database, { workspaceId, webhookIds: [webhookId] });
  while ((await publish(otherWorkspaceId, 'outsider')).status === 503);
}
afterEach(async () => {
  await inbox.close();
  await api.close();
});

const fired = () => ({ model_id: randomUUID(), model_name: 'm', metric_value: 1, alert_id: randomUUID() });
const rule = { name: 'r', enabled: true, threshold: 1, bound: 'upper_bound', notification_webhook_ids: [] };
const publish = (workspace: string, as: 'publisher' | 'outsider') =>
  api.call<{ alert_id: string }>('POST', pathOf(workspace), {
    as,
    body: { ...fired(), alert_rule_id: randomUUID(), alert_rule: rule },
  });
/**
 * Publishes an alert in the other workspace and waits for it. The broker keeps the order, so all earlier alerts have
 * arrived too.
 */
async function countArrived(): Promise<number> {
  const { status, body } = await publish(otherWorkspaceId, 'outsider');
  expect(status).toBe(202);
  await inbox.alert(body.alert_id);
  return inbox.messages.length;
}
const open = (count: number, id = webhookId) =>
  Promise.all(
    Array.from({ length: count }, () => seedDelivery(api.database, { webhookId: id, status: 'open' })),
  );
/** Expects a response with the status 429 and the header `Retry-After`. */
const expectRejected = (response: Awaited<ReturnType<TestApi['call']>>) => {
  expect([response.status, (response.body as { code: string }).code]).toEqual([429, 'too_many_requests']);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
};

/** Returns how many requests were rejected by each limit, from the metrics of the service. */
async function rejections(): Promise<Record<string, number>> {
  const text = await (await fetch(`${api.metricsUrl}/metrics`)).text();
  const lines = [...text.matchAll(/^tocsin_over_quota_requests_total\{limit="(\w+)"[^}]*\} (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, limit, count]) => [limit, Number(count)]));
}

test('a workspace at its open-delivery limit cannot publish, dispatch or reopen deliveries', async () => {
  await start({ perWebhook: 1_000, perWorkspace: 5 });
  const failed = await seedDelivery(api.database, { webhookId });
  const alertId = await seedAlert(api.database, { outcome: 'over_quota', alertRuleId });
  expect((await publish(workspaceId, 'publisher')).status).toBe(202);
  const [waiting] = await open(5);
  const before = await countArrived();
  expectRejected(await publish(workspaceId, 'publisher'));
  expect(await countArrived()).toBe(before + 1);
  expectRejected(await api.call('POST', `/api/v1/deliveries/${failed}/redeliver`));
  expectRejected(await api.call('POST', `${pathOf(workspaceId)}/${alertId}/dispatch`));
  expect(await rejections()).toEqual({ workspace: 3, webhook: 0 });
  expect(await api.database.knex('open_deliveries')).toHaveLength(5);
  expect((await api.database.knex('deliveries').where({ id: failed }).first()).run).toBe(1);
  const { body } = await api.call<Alert>('GET', `${pathOf(workspaceId)}/${alertId}`);
  expect(body).toMatchObject({ outcome: 'over_quota', dispatched_at: null });
  // Redelivering a waiting delivery makes it due, and opens no further delivery.
  expect((await api.call('POST', `/api/v1/deliveries/${waiting}/redeliver`)).status).toBe(202);

  await api.database.knex('open_deliveries').delete();
  expect((await publish(workspaceId, 'publisher')).status).toBe(202);
  expect((await api.call('POST', `${pathOf(workspaceId)}/${alertId}/dispatch`)).status).toBe(202);
}, 60_000);

test('redeliveries and dispatches to a webhook at its open-delivery limit are rejected', async () => {
  await start({ perWebhook: 3, perWorkspace: 1_000 });
  const statuses = ['failed', 'succeeded', 'skipped'] as const;
  const ended = await Promise.all(
    statuses.map((status) => seedDelivery(api.database, { webhookId, status })),
  );
  const other = await seedDelivery(api.database);
  const alertId = await seedAlert(api.database, { outcome: 'no_webhooks', alertRuleId });
  await open(3);
  for (const id of ended) expectRejected(await api.call('POST', `/api/v1/deliveries/${id}/redeliver`));
  expectRejected(await api.call('POST', `${pathOf(workspaceId)}/${alertId}/dispatch`));
  expect(await rejections()).toEqual({ workspace: 0, webhook: 4 });
  expect((await api.call('POST', `/api/v1/deliveries/${other}/redeliver`)).status).toBe(202);
  expect((await publish(workspaceId, 'publisher')).status).toBe(202);
}, 60_000);
