// Principals with and without the role reader publish over REST. A monitor publishes over AMQP and claims to be one of
// these principals. A publisher without the role reader must find exactly its own alerts.
import { randomUUID } from 'node:crypto';
import { type Alert, alertFiredKey, alertPublisherHeader, alertsExchange } from '@tocsin/contracts';
import { findFreePorts } from '@tocsin/local';
import { createBroker, createPublisher } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import {
  createTestDatabase,
  type TestDatabase,
  testSecretBox,
  testSecretsKeys,
} from '@tocsin/testing/database';
import { startSigningProvider } from './support/signing-provider.js';
import { longWait, type Service, startService, stop } from './support/stack.js';

const workspaceId = randomUUID();
const otherWorkspaceId = randomUUID();
const alerts = `/api/v1/workspaces/${workspaceId}/alerts`;

type Provider = Awaited<ReturnType<typeof startSigningProvider>>;
let provider: Provider;
let customers: Provider;
let database: TestDatabase;
let amqpUrl: string;
let services: Service[];

beforeAll(async () => {
  [provider, customers] = [await startSigningProvider(600), await startSigningProvider(600)];
  database = await createTestDatabase();
  amqpUrl = (await createTestBroker()).url;
  const env = {
    DATABASE_URL: database.url,
    AMQP_URL: amqpUrl,
    SECRETS_KEYS: testSecretsKeys,
    OIDC_ISSUER: provider.issuer,
    DEPLOYMENT: 'enterprise',
    OIDC_ENTERPRISE_ISSUERS: JSON.stringify([{ issuer: customers.issuer, workspaces: [workspaceId] }]),
  };
  const [a = 0, b = 0, c = 0, d = 0] = await findFreePorts(4);
  services = await Promise.all([
    startService('webhook-api', { env, ports: [a, b] }),
    startService('delivery-worker', { env, ports: [c, d] }),
  ]);
}, 60_000);
afterAll(async () => {
  await stop(services);
  await Promise.all([provider.close(), customers.close(), database.drop()]);
});

interface Caller {
  from?: Provider;
  sub: string;
  roles: string[];
}
const ada: Caller = { sub: 'ada', roles: ['publisher'] };
const bob: Caller = { sub: 'bob', roles: ['publisher'] };
const adaWhoReads: Caller = { sub: 'ada', roles: ['publisher', 'reader'] };
const adaOfCustomer = (): Caller => ({ ...ada, from: customers });

async function call<Body>(
  caller: Caller,
  path: string,
  { body, method = 'GET' }: { body?: object; method?: string } = {},
) {
  const { from = provider, sub, roles } = caller;
  const groups = roles.map((role) => `/workspaces/${workspaceId}/${role}`);
  // Each caller from this provider is also an admin of another workspace. This role must not give permissions in the
  // tested workspace.
  if (from === provider) groups.push(`/workspaces/${otherWorkspaceId}/admin`);
  const token = await from.sign({ sub, aud: 'tocsin-api', groups });
  const response = await fetch(`${services[0]!.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

const fired = () => ({
  alert_id: randomUUID(),
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'churn',
  metric_value: 1,
  labels: { team: 'risk' },
  alert_rule: {
    name: 'Own rule',
    enabled: true,
    threshold: 0.4,
    bound: 'upper_bound',
    notification_webhook_ids: [],
  },
});

async function publish(caller: Caller): Promise<string> {
  const { status, body } = await call<{ alert_id: string }>(caller, alerts, {
    method: 'POST',
    body: fired(),
  });
  expect(status).toBe(202);
  return body.alert_id;
}

async function publishBatch(caller: Caller, count: number): Promise<string[]> {
  const body = Array.from({ length: count }, fired);
  const response = await call<{ status: number }[]>(caller, `${alerts}/batch`, { method: 'POST', body });
  expect(response.body.map(({ status }) => status)).toEqual(body.map(() => 202));
  return body.map(({ alert_id }) => alert_id);
}

async function publishOverAmqp(headerOf: (alertId: string) => string | undefined): Promise<string> {
  const broker = await createBroker({ url: amqpUrl, name: 'test' });
  const publisher = await createPublisher(broker);
  await broker.ready();
  const alert = { ...fired(), workspace_id: workspaceId, fired_at: new Date().toISOString() };
  const header = headerOf(alert.alert_id);
  await publisher.publish({
    exchange: alertsExchange,
    routingKey: alertFiredKey,
    content: Buffer.from(JSON.stringify(alert)),
    headers: header === undefined ? {} : { [alertPublisherHeader]: header },
  });
  await broker.close();
  return alert.alert_id;
}

const seenBy = async (caller: Caller, query = '') =>
  (await call<Alert[]>(caller, `${alerts}?limit=1000${query}`)).body.map(({ alert_id }) => alert_id).sort();
const statusFor = async (caller: Caller, alertId: string) =>
  (await call<{ code?: string }>(caller, `${alerts}/${alertId}`)).status;
const processed = (alertIds: string[]) =>
  until(
    'the alerts are processed',
    async () => {
      const seen = await seenBy(adaWhoReads);
      return alertIds.every((id) => seen.includes(id));
    },
    longWait,
  );

test('a publisher finds only alerts that it published itself over REST, singly or in a batch', async () => {
  const own = [await publish(ada), ...(await publishBatch(ada, 3))].sort();
  const others = [await publish(bob), ...(await publishBatch(bob, 2)), await publish(adaOfCustomer())];
  const overAmqp = await publishOverAmqp(() => undefined);
  await processed([...own, ...others, overAmqp]);
  expect(await seenBy(ada)).toEqual(own);
  expect(await seenBy(ada, `&label=team:risk&since=${yesterday()}`)).toEqual(own);
  expect(await seenBy(bob)).toEqual(others.slice(0, 3).sort());
  expect(await seenBy(adaOfCustomer())).toEqual(others.slice(3));
  const counted = await call(ada, `${alerts}?limit=2&count=true`);
  expect(counted.headers.get('x-total-count')).toBe(String(own.length));
  for (const id of own) expect([await statusFor(ada, id), await statusFor(bob, id)]).toEqual([200, 404]);
  for (const id of [...others, overAmqp]) expect(await statusFor(ada, id)).toBe(404);
});

test('requests for an alert of another publisher and for an unknown alert get the same response', async () => {
  const id = await publish(bob);
  await processed([id]);
  const [foreign, unknown] = await Promise.all(
    [id, randomUUID()].map((alertId) => call<{ request_id: string }>(ada, `${alerts}/${alertId}`)),
  );
  const comparable = ({ status, headers, body }: NonNullable<typeof foreign>) => ({
    status,
    retryAfter: headers.get('retry-after'),
    body: { ...body, request_id: '', instance: '' },
  });
  expect(comparable(foreign!)).toEqual(comparable(unknown!));
  expect(foreign!.body).toMatchObject({ status: 404, code: 'alert_not_processed' });
});

test('a publisher sees all alerts only with the role reader in the workspace of the alerts', async () => {
  const [own, other] = [await publish(adaWhoReads), await publish(bob)];
  await processed([own, other]);
  expect(await seenBy(adaWhoReads)).toEqual(expect.arrayContaining([own, other]));
  expect([await statusFor(adaWhoReads, other), await statusFor(ada, other)]).toEqual([200, 404]);
  expect(await statusFor(ada, own)).toBe(200);
});

test('a publisher over AMQP cannot make its alert appear as published over REST', async () => {
  const own = await publish(ada);
  await processed([own]);
  const { published_by: id } = await row(own);
  const headerFor = (alertId: string, workspace = workspaceId) =>
    testSecretBox
      .encrypt(id, { workspaceId: workspace, table: 'alerts', id: alertId, column: 'published_by' })
      .toString('base64');
  const forged = [
    await publishOverAmqp(() => id),
    await publishOverAmqp(() => Buffer.from(id).toString('base64')),
    await publishOverAmqp(() => headerFor(own)),
    await publishOverAmqp((alertId) => headerFor(alertId, otherWorkspaceId)),
    await publishOverAmqp(() => 'x'.repeat(30_000)),
  ];
  await processed(forged);
  for (const alertId of forged) {
    expect(await statusFor(ada, alertId)).toBe(404);
    expect(await row(alertId)).toEqual({ published_by: null });
  }
  // The API encrypts the publisher of an alert into a header that is valid only with the id of that alert. `headerFor`
  // makes such a header for the id of its own message, so this message counts as published over REST.
  const genuine = await publishOverAmqp(headerFor);
  await processed([genuine]);
  expect(await statusFor(ada, genuine)).toBe(200);
});

const row = (alertId: string) =>
  database.database.knex('alerts').where({ alert_id: alertId }).first('published_by');

function yesterday(): string {
  return new Date(Date.now() - 86_400_000).toISOString();
}
