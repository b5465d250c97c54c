import type { Alert, Delivery, Webhook } from '@tocsin/contracts';
import { insertWebhook } from '@tocsin/testing/database';
import { useApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';

const workspace = `/api/v1/workspaces/${workspaceId}`;
const recent = { 'Cache-Control': 'max-age=10' };

const api = useApi();

test.each([
  ['deliveries', (): Promise<unknown> => seedDelivery(api.database)],
  ['alerts', (): Promise<unknown> => seedAlert(api.database)],
  ['webhooks?secrets=false', (): Promise<unknown> => insertWebhook(api.database, { workspaceId })],
])('callers that accept a recent response for %s share one, and others do not', async (path, insert) => {
  type Entries = (Alert | Delivery | Webhook)[];
  const list = (headers?: Record<string, string>) =>
    api.call<Entries>('GET', `${workspace}/${path}`, { as: 'reader', ...(headers && { headers }) });
  await insert();
  const first = await list(recent);
  expect([first.status, first.headers.get('age'), first.headers.get('content-type')]).toEqual([
    200,
    '0',
    'application/json; charset=utf-8',
  ]);
  await insert();
  const again = await list(recent);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('age')).toMatch(/^\d$/);
  const own = await list();
  expect(own.body).toHaveLength(first.body.length + 1);
  expect(own.headers.get('age')).toBeNull();
  // The newer response replaces the older one for callers that accept a recent response, so that no caller gets the
  // older list again.
  expect((await list(recent)).body).toEqual(own.body);
  expect(own.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
});

test('requests for the same statistics share a response, and another query gets another response', async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const stats = (query: string, headers: Record<string, string> = recent) =>
    api.call('GET', `${workspace}/delivery_stats?since=${since}&${query}`, { headers });
  const { body } = await stats('step=hour');
  await seedDelivery(api.database);
  const again = await stats('step=hour');
  expect([again.body, again.headers.get('age')]).toEqual([body, expect.stringMatching(/^\d$/)]);
  expect((await stats('step=minute')).body).not.toEqual(body);
  // Without the header, the response counts the new delivery.
  expect((await stats('step=hour', {})).body).not.toEqual(body);
});

test('callers with different roles do not share a response', async () => {
  await seedDelivery(api.database);
  const list = (as: 'reader' | 'admin' | 'outsider') =>
    api.call<Delivery[]>('GET', `${workspace}/deliveries?limit=7`, { as, headers: recent });
  const { body } = await list('admin');
  await seedDelivery(api.database);
  expect((await list('admin')).body).toEqual(body);
  expect((await list('reader')).body).not.toEqual(body);
  expect((await list('outsider')).status).toBe(403);
});

test('the response to a publisher, which contains only its own alerts, is not shared', async () => {
  const { headers } = await api.call('GET', `${workspace}/alerts`, { as: 'publisher', headers: recent });
  expect(headers.get('age')).toBeNull();
});

test('a list of webhooks with secrets is not shared', async () => {
  const { headers } = await api.call('GET', `${workspace}/webhooks`, { headers: recent });
  expect(headers.get('age')).toBeNull();
});
