import { randomUUID } from 'node:crypto';
import { Secret } from '@tocsin/kit';
import { startTcpProxy, type TcpProxy } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { type Problem, startApi, type TestApi, workspaceId } from './support/api.js';

const alerts = `/api/v1/workspaces/${workspaceId}/alerts`;
const fired = () => ({
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'Model',
  metric_value: 1,
  alert_rule: {
    name: 'Rule',
    enabled: true,
    threshold: 0,
    bound: 'upper_bound',
    notification_webhook_ids: [],
  },
});

let proxy: TcpProxy;
let api: TestApi;
beforeAll(async () => {
  proxy = await startTcpProxy((await createTestBroker()).url);
  proxy.refuse();
  api = await startApi({ config: { amqpUrl: new Secret(proxy.url), brokerWaitMs: 100 } });
});
afterAll(async () => {
  await api.close();
  await proxy.close();
});

const publish = (body: object) =>
  api.call<Problem & { alert_id: string }>('POST', alerts, { body, as: 'publisher' });

async function expectUnavailable(): Promise<void> {
  const alertId = randomUUID();
  const given = await publish({ ...fired(), alert_id: alertId });
  const generated = await publish(fired());
  for (const { status, headers, body } of [given, generated]) {
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(body.detail).toContain('safe to repeat');
    expect(body.alert_id).toMatch(/^[0-9a-f-]{36}$/);
  }
  expect(given.body.alert_id).toBe(alertId);
}

async function expectRecovery(): Promise<void> {
  proxy.cut();
  proxy.thaw();
  const alertId = randomUUID();
  let response = await publish({ ...fired(), alert_id: alertId });
  while (response.status === 503) response = await publish({ ...fired(), alert_id: alertId });
  expect([response.status, response.body]).toEqual([202, { alert_id: alertId }]);
}

test('an alert gets 503 with its id while the broker is unreachable, and 202 later', async () => {
  await expectUnavailable();
  await expectRecovery();
});

test('while the broker does not respond, the first alert gets 503 after 3 s, others at once', async () => {
  await expectRecovery();
  proxy.freeze();
  await expectUnavailable();
  const startedAtMs = performance.now();
  for (let count = 0; count < 5; count += 1) await expectUnavailable();
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  await expectRecovery();
});

test('the service listens only when it is connected to the broker, so its first alert gets 202', async () => {
  const late = await startTcpProxy((await createTestBroker()).url);
  late.refuse();
  let isListening = false;
  const starting = startApi({ config: { amqpUrl: new Secret(late.url), brokerWaitMs: 30_000 } });
  void starting.then(() => {
    isListening = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(isListening).toBe(false);
  late.thaw();
  const started = await starting;
  expect((await started.call('POST', alerts, { body: fired(), as: 'publisher' })).status).toBe(202);
  await started.close();
  await late.close();
});

test('an invalid alert gets 422 and alerts can be read while the broker is unavailable', async () => {
  proxy.refuse();
  expect((await publish({ ...fired(), metric_value: 'x' })).status).toBe(422);
  expect((await api.call('GET', alerts)).status).toBe(200);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  await expectRecovery();
});
