import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { createEngineClient, type Delivery } from '@tocsin/client';
import { until } from '@tocsin/testing';
import { expectAccepted } from '../test/support/token-assertions.js';
import { type Account, clientOf, setting, tokenOf } from './deployment.js';

// These tests require a running deployment of the compose file with Keycloak and the imported realm. The tests publish
// an alert with a service account of the realm. Tocsin delivers the alert to a destination on the host.

const admin = { role: 'admin', isDeploymentAdmin: true, isForEngine: true } as const;
const publisher = { role: 'publisher', isDeploymentAdmin: false, isForEngine: false } as const;

test.each<[Account, typeof admin | typeof publisher]>([
  ['ADMIN', admin],
  ['PUBLISHER', publisher],
])('the APIs accept a token that the provider issues to %s, and read its roles', async (account, holder) => {
  const token = await tokenOf(account);
  await expectAccepted(setting('OIDC_ISSUER'), { token, workspaceId: setting('WORKSPACE_ID'), ...holder });
});

const received: string[] = [];
const destination = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push(body);
  response.end('{"received": true}');
});
beforeAll(() => new Promise<void>((resolve) => destination.listen(0, '0.0.0.0', resolve)));
afterAll(() => new Promise((resolve) => destination.close(resolve)));

test('an alert that a publisher fires is delivered once, and its delivery is recorded', async () => {
  const { port } = destination.address() as AddressInfo;
  const tocsin = await clientOf('ADMIN');
  const webhook = await tocsin.webhooks.create({
    name: 'Deployment test',
    url: `http://${setting('DESTINATION_HOST')}:${port}/alerts`,
    headers: { 'Content-Type': ['application/json'] },
    body: '{"model": "{{ model_name }}", "value": {{ metric_value }}}',
  });
  const model_id = '6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11';
  const rule = await tocsin.alertRules.create({
    name: 'Deployment test',
    model_id,
    threshold: 0.4,
    bound: 'upper_bound',
    notification_webhook_ids: [webhook.id],
  });
  const facts = { alert_rule_id: rule.id, model_id, model_name: 'churn', metric_value: 0.5 };
  const { alert_id } = await (await clientOf('PUBLISHER')).alerts.fire(facts);
  const find = async (): Promise<Delivery | undefined> => {
    for await (const delivery of tocsin.deliveries.list({ alert_id })) return delivery;
    return undefined;
  };
  await until('the delivery has ended', async () => (await find())?.status === 'succeeded', {
    timeoutMs: 25_000,
    intervalMs: 100,
  });
  const delivery = await find();
  expect(delivery).toMatchObject({ attempts_made: 1, response: { status_code: 200 } });
  expect(received.map((body) => JSON.parse(body) as unknown)).toEqual([{ model: 'churn', value: 0.5 }]);
  const file = setting('DELIVERY_FILE');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ id: delivery?.id, webhook_id: webhook.id, url: webhook.url }));
});

test('an engine key is valid until it is deactivated', async () => {
  const engine = createEngineClient({ url: setting('ENGINE_URL'), credential: await tokenOf('ADMIN') });
  const { id, key } = await engine.keys.create({ description: 'Deployment test' });
  const verify = async () => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${setting('ENGINE_URL')}/auth/verify`, { headers })).status;
  };
  expect(await verify()).toBe(204);
  await engine.keys.deactivate(id);
  await until('the key is rejected', async () => (await verify()) === 401);
});

test('the console and the documentation are served', async () => {
  for (const path of ['/', '/docs', '/openapi.json', '/console/config.json']) {
    const response = await fetch(`${setting('API_URL')}${path}`, { headers: { Accept: '*/*' } });
    expect([path, response.status]).toEqual([path, 200]);
  }
});
