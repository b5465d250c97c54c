import { randomUUID } from 'node:crypto';
import { insertAlert, insertAlertRule, insertDelivery, insertWebhook } from '@tocsin/testing/database';
import { ClientCredentialsSession, createPlatformClient, type PlatformClient } from '../src/index.js';
import { cli } from './support/cli.js';
import { startServices } from './support/services.js';

const workspaceId = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';
const issuer = process.env.TOCSIN_TEST_OIDC_ISSUER ?? '';
const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{"editor":{}}');
const [modelId, since] = [randomUUID(), new Date(Date.now() - 3_600_000).toISOString()];

let services: Awaited<ReturnType<typeof startServices>>;
let tocsin: PlatformClient;
let alertIds: string[];
let deliveryIds: string[];
beforeAll(async () => {
  services = await startServices();
  const { client_id: clientId, client_secret: clientSecret } = clients.editor;
  const session = new ClientCredentialsSession({ issuer, clientId, clientSecret });
  tocsin = createPlatformClient({ url: services.apiUrl, credential: session, workspaceId });
  const labels = { team: 'risk', url: 'https://a:1/?x=y' };
  const alerts = [0, 1, 2].map((index) => ({
    workspaceId,
    modelId,
    labels: index === 0 ? { team: 'fraud' } : labels,
    alertId: randomUUID(),
    acceptedAtMs: Date.now() - 60_000 - index,
  }));
  for (const alert of alerts) await insertAlert(services.database, alert);
  const [first, second, third] = alerts;
  const deliveries = [{ ...first }, { ...second, errorCode: 'timeout' }, { ...third }];
  deliveryIds = [];
  for (const delivery of deliveries) deliveryIds.push(await insertDelivery(services.database, delivery));
  alertIds = alerts.map(({ alertId }) => alertId);
});
afterAll(() => services.close());

async function run(...words: string[]) {
  const { client_id, client_secret } = clients.editor;
  const env = {
    TOCSIN_API_URL: services.apiUrl,
    TOCSIN_ISSUER: issuer,
    TOCSIN_WORKSPACE: workspaceId,
    TOCSIN_CLIENT_ID: client_id,
    TOCSIN_CLIENT_SECRET: client_secret,
  };
  return cli(words, { env });
}

test('the client lists and counts alerts and deliveries by label, model and error code', async () => {
  const label = ['team:risk', 'url:https://a:1/?x=y'];
  const alerts = await tocsin.alerts.list({ label, model_id: modelId, since, limit: 1 }).toArray();
  expect(alerts.map(({ alert_id }) => alert_id)).toEqual(alertIds.slice(1));
  expect(alerts[0]?.summary).toEqual({ succeeded: 0, failed: 1, skipped: 0, open: 0 });
  const timedOut = tocsin.deliveries.list({ label, error_code: 'timeout', since });
  expect((await timedOut.toArray()).map(({ id }) => id)).toEqual([deliveryIds[1]]);
  expect(await timedOut.count()).toEqual({ count: 1, isMore: false });
  expect(await tocsin.alerts.list({ model_id: modelId, since }).count()).toEqual({ count: 3, isMore: false });
});

test('the tocsin command lists and counts alerts and deliveries by label, model and error code', async () => {
  const alerts = await run(
    'alerts',
    'list',
    '--label',
    'team=risk',
    '--model',
    modelId,
    '--since',
    '1h',
    '--json',
  );
  const found: { alert_id: string }[] = JSON.parse(alerts.stdout);
  expect(found.map(({ alert_id }) => alert_id)).toEqual(alertIds.slice(1));
  const list = ['deliveries', 'list', '--model', modelId, '--since', '1h'];
  const labels = ['--label', 'team:risk', '--label', 'url=https://a:1/?x=y'];
  const timedOut = await run(...list, ...labels, '--error-code', 'timeout', '--json');
  expect(JSON.parse(timedOut.stdout)).toMatchObject([{ id: deliveryIds[1] }]);
  expect((await run(...list, ...labels, '--count')).stdout).toBe('2\n');
  expect(JSON.parse((await run(...list, '--count', '--json')).stdout)).toEqual({ count: 3, more: false });
  expect((await run('alerts', 'list', '--model', modelId, '--since', '1h')).stdout).toContain('1 failed');
});

test('the error of a search without --since names the missing flag', async () => {
  const { code, stderr } = await run('deliveries', 'list', '--label', 'team=risk');
  expect([code, stderr]).toEqual([6, expect.stringContaining('since must be given with label')]);
});

test('rules can be filtered by webhook, and webhooks by host', async () => {
  const { database } = services;
  const id = await insertWebhook(database, { workspaceId, url: 'https://chat.example.com:8443/x' });
  const ruleId = await insertAlertRule(database, { workspaceId, webhookIds: [id] });
  await insertAlertRule(database, { workspaceId });
  const rules = await run('rules', 'list', '--webhook', id, '--json');
  expect(JSON.parse(rules.stdout)).toMatchObject([{ id: ruleId }]);
  expect((await run('rules', 'list', '--count')).stdout).toBe('2\n');
  const webhooks = await run('webhooks', 'list', '--host', 'Chat.example.com', '--json');
  expect(JSON.parse(webhooks.stdout)).toMatchObject([{ id }]);
  expect((await run('webhooks', 'list', '--host', 'chat.example.com:443', '--count')).stdout).toBe('0\n');
});
