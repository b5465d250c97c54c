import { migrateDatabase } from '@tocsin/database';
import { Secret } from '@tocsin/kit';
import { startTcpProxy, type TcpProxy } from '@tocsin/testing';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { startApi, type TestApi, workspaceId } from './support/api.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
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

async function expectAway(): Promise<void> {
  const answers = await Promise.all(
    calls.map(([method, path, body]) => api.call(method, path, body && { body })),
  );
  for (const { status, headers, body } of answers) {
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(body)).not.toMatch(/postgres|ECONN|127\.0\.0\.1/i);
  }
  expect((await fetch(`${api.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${api.url}/livez`)).status).toBe(200);
}

async function expectBack(): Promise<void> {
  proxy.cut();
  proxy.thaw();
  const endsAt = performance.now() + 15_000;
  while ((await api.call('GET', webhooks)).status !== 200) expect(performance.now()).toBeLessThan(endsAt);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  expect((await api.call('POST', webhooks, { body: fields })).status).toBe(201);
}

test('while the database refuses connections every call is 503, and the service recovers by itself', async () => {
  expect((await api.call('GET', webhooks)).status).toBe(200);
  proxy.refuse();
  await expectAway();
  await expectBack();
});

test('while the database accepts and never answers every call is 503 and not a hang, and the service recovers', async () => {
  expect((await api.call('GET', webhooks)).status).toBe(200);
  proxy.freeze();
  await expectAway();
  await expectAway();
  await expectBack();
});

test('what needs no database works without it', async () => {
  proxy.refuse();
  expect((await api.call('GET', '/api/v1/whoami')).status).toBe(200);
  const preview = await api.call('POST', `${webhooks}/preview`, { body: { body: '{}' } });
  expect(preview.status).toBe(200);
  await expectBack();
});

test('a database that was never migrated makes the service not ready, and it says what to do', async () => {
  const empty = await createEmptyTestDatabase();
  const started = await startApi({ config: { databaseUrl: new Secret(empty.url) } });
  const response = await fetch(`${started.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([
    503,
    expect.objectContaining({
      detail: expect.stringMatching(/^Not ready: database\. .* run the migrations\.$/),
    }),
  ]);
  await migrateDatabase(empty.database);
  expect((await fetch(`${started.url}/readyz`)).status).toBe(200);
  await started.close();
  await empty.drop();
});
