import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '@tocsin/kit';
import { startTcpProxy, type TcpProxy } from '@tocsin/testing';
import {
  createEmptyTestDatabase,
  createTestDatabase,
  expectReadyAfterMigration,
  type TestDatabase,
} from '@tocsin/testing/database';
import { type Problem, startApi, type TestApi, workspaceId } from './support/api.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const alerts = `/api/v1/workspaces/${workspaceId}/alerts`;
const webhook = '/api/v1/webhooks/00000000-0000-0000-0000-000000000000';
const fields = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}' };

let database: TestDatabase;
let proxy: TcpProxy;
let api: TestApi;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(database.url);
  api = await startApi({ config: { databaseUrl: new Secret(proxy.url) } });
});
afterAll(async () => {
  proxy.cut();
  proxy.thaw();
  await api.close();
  await proxy.close();
  await database.drop();
});

const calls = [
  ['GET', webhooks, undefined],
  ['POST', webhooks, fields],
  ['GET', webhook, undefined],
  ['PATCH', webhook, { name: 'x' }],
  ['DELETE', webhook, undefined],
] as const;

async function expectUnavailable(): Promise<void> {
  const responses = await Promise.all(
    calls.map(([method, path, body]) => api.call(method, path, body && { body })),
  );
  for (const { status, headers, body } of responses) {
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(body)).not.toMatch(/postgres|ECONN|127\.0\.0\.1/i);
  }
  await expectAlertUnavailable();
  const readiness = await fetch(`${api.url}/readyz`);
  expect([readiness.status, await readiness.json()]).toEqual([
    200,
    { status: 'ok', dependencies: { database: 'failing', secrets: 'ok', broker: 'ok' } },
  ]);
  expect((await fetch(`${api.url}/livez`)).status).toBe(200);
}

async function expectAlertUnavailable(): Promise<void> {
  const alertId = randomUUID();
  const fired = {
    alert_id: alertId,
    alert_rule_id: alertId,
    model_id: alertId,
    model_name: '',
    metric_value: 1,
  };
  const { status, headers, body } = await api.call<Problem & { alert_id: string }>('POST', alerts, {
    body: fired,
    as: 'publisher',
  });
  expect([status, body.code, body.alert_id]).toEqual([503, 'unavailable', alertId]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

async function expectRecovery(): Promise<void> {
  proxy.cut();
  proxy.thaw();
  const endsAt = performance.now() + 15_000;
  while ((await api.call('GET', webhooks)).status !== 200) expect(performance.now()).toBeLessThan(endsAt);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  expect((await api.call('POST', webhooks, { body: fields })).status).toBe(201);
}

test('requests get 503 while the database refuses connections, and then work again', async () => {
  expect((await api.call('GET', webhooks)).status).toBe(200);
  proxy.refuse();
  await expectUnavailable();
  await expectRecovery();
});

test('requests get 503 while the database does not respond, and then work again', async () => {
  expect((await api.call('GET', webhooks)).status).toBe(200);
  proxy.freeze();
  await expectUnavailable();
  await expectUnavailable();
  await expectRecovery();
});

test('an alert of a registered rule gets 503 once the database is unavailable for a second', async () => {
  const rule = { name: 'R', model_id: randomUUID(), threshold: 1, bound: 'upper_bound' };
  const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
  const { id } = (await api.call<{ id: string }>('POST', rules, { body: rule })).body;
  const fired = { alert_rule_id: id, model_id: rule.model_id, model_name: 'M', metric_value: 2 };
  const publish = (path: string, body: unknown) =>
    api.call('POST', `${alerts}${path}`, { body, as: 'publisher' });
  expect((await publish('', fired)).status).toBe(202);
  proxy.refuse();
  await sleep(1_100);
  const alertId = randomUUID();
  expect(await publish('', { ...fired, alert_id: alertId })).toMatchObject({
    status: 503,
    body: { code: 'unavailable', alert_id: alertId },
  });
  const rejected = await publish('/batch', [fired, fired]);
  expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([503, true]);
  await expectRecovery();
  expect((await publish('', { ...fired, alert_id: alertId })).status).toBe(202);
});

test('routes that need no database respond while the database refuses connections', async () => {
  proxy.refuse();
  expect((await api.call('GET', '/api/v1/whoami')).status).toBe(200);
  const preview = await api.call('POST', `${webhooks}/preview`, { body: { body: '{}' } });
  expect(preview.status).toBe(200);
  await expectRecovery();
});

test('the service is not ready, and states the reason, while the database has no migrations', async () => {
  const empty = await createEmptyTestDatabase();
  const started = await startApi({ config: { databaseUrl: new Secret(empty.url) } });
  await expectReadyAfterMigration(started.url, empty);
  await started.close();
  await empty.drop();
});
