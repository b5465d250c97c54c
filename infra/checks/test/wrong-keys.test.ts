import { randomBytes } from 'node:crypto';
import { findFreePorts } from '@tocsin/local';
import { type HttpReceiver, startHttpReceiver, until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, type TestDatabase, testSecretsKeys } from '@tocsin/testing/database';
import { parseExposition } from './support/exposition.js';
import { post } from './support/requests.js';
import { longWait, type Service, startService, stop, testSettings } from './support/stack.js';

// The services run as separate processes, as in production. webhook-api encrypts the canary. One of the two workers has
// keys that cannot decrypt the canary. Later only this worker runs.

const wrongKeys = `k1:${randomBytes(32).toString('base64')}`;

let database: TestDatabase;
let destination: HttpReceiver;
let env: Record<string, string>;
let api: Service;
let wrong: Service;
let right: Service;
let ruleId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  destination = await startHttpReceiver();
  env = { ...testSettings(database.url, (await createTestBroker()).url), LOG_LEVEL: 'info' };
  api = await start('webhook-api', testSecretsKeys);
  await until('the canary is written', () => database.database.knex('secrets_canary').first());
  [wrong, right] = await Promise.all([
    start('delivery-worker', wrongKeys, '/livez'),
    start('delivery-worker', testSecretsKeys),
  ]);
  ruleId = await createRule();
}, 60_000);
afterAll(async () => {
  await stop([wrong, right, api]);
  await destination.close();
  await database.drop();
});

async function start(name: string, keys: string, path = '/readyz'): Promise<Service> {
  const [port = 0, metricsPort = 0] = await findFreePorts(2);
  return startService(name, { env: { ...env, SECRETS_KEYS: keys }, ports: [port, metricsPort], path });
}

const modelId = '6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11';

async function createRule(): Promise<string> {
  const webhook = await post(api, 'webhooks', { name: 'w', url: destination.url('/keys'), body: '{}' });
  const rule = { name: 'r', model_id: modelId, threshold: 0.4, bound: 'upper_bound' };
  return (await post(api, 'alert_rules', { ...rule, notification_webhook_ids: [webhook.id] })).id;
}

async function fire(count: number): Promise<void> {
  const alert = { alert_rule_id: ruleId, model_id: modelId, model_name: 'm', metric_value: 0.5 };
  await Promise.all(Array.from({ length: count }, () => post(api, 'alerts', alert)));
}

const received = (count: number) =>
  until(`${count} requests have arrived`, () => destination.at('/keys').length === count, longWait);

async function gauge({ metricsUrl }: Service, name: string): Promise<number | undefined> {
  return parseExposition(await (await fetch(metricsUrl)).text()).find((one) => one.name === name)?.value;
}

async function expectWrong(): Promise<void> {
  const response = await fetch(`${wrong.url}/readyz`);
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { failing: ['secrets'], detail: expect.stringContaining('SECRETS_KEYS') },
  ]);
  expect(await gauge(wrong, 'tocsin_keys_mismatch')).toBe(1);
  expect(wrong.lines('secrets.keys_mismatch')).toMatchObject([{ level: 'error', count: 1 }]);
  expect(wrong.output().length).toBeLessThan(20_000);
}

test('a worker with wrong keys is not ready, and one with right keys sends each delivery once', async () => {
  await until('it has checked its keys', () => wrong.lines('secrets.keys_mismatch').length > 0);
  await fire(50);
  await received(50);
  await expectWrong();
  const attempts = await database.database.knex('attempts').max('number as most').first();
  expect(attempts).toEqual({ most: 1 });
  expect(await gauge(wrong, 'tocsin_in_flight')).toBe(0);
  expect(await gauge(right, 'tocsin_keys_mismatch')).toBe(0);
}, 60_000);

test('while all workers have wrong keys, alerts wait until a worker with right keys starts', async () => {
  await until('markers pass', async () => (await gauge(api, 'tocsin_pipeline_lag_seconds'))! < 15, longWait);
  await stop([right]);
  await fire(20);
  await until('the lag grows', async () => (await gauge(api, 'tocsin_pipeline_lag_seconds'))! > 20, {
    timeoutMs: 40_000,
  });
  await expectWrong();
  expect(destination.at('/keys')).toHaveLength(50);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);

  right = await start('delivery-worker', testSecretsKeys);
  await received(70);
  await until('markers pass', async () => (await gauge(api, 'tocsin_pipeline_lag_seconds'))! < 15, longWait);
}, 120_000);
