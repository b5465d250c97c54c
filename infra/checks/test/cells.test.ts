// Two unmodified installations, each with its own database and broker, are behind nginx with the documented
// configuration. A client uses one address for the workspaces of both installations.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AlertPublisher, createAmqpPublisher, createCellPublisher } from '@tocsin/client';
import type { AlertRule, Delivery, Webhook } from '@tocsin/contracts';
import { findFreePorts } from '@tocsin/local';
import { type HttpReceiver, startHttpReceiver, until } from '@tocsin/testing';
import { createTestBroker, secondBroker } from '@tocsin/testing/broker';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { prepareServer } from './support/debian-server.js';
import { tokenOf, workspaceId } from './support/requests.js';
import { longWait, type Service, startService, stop, testSettings } from './support/stack.js';

const configuration = new URL('../../cells/nginx.conf', import.meta.url);
/** The test clients have roles in workspace `a`. The client `admin` also has the admin role for all workspaces. */
const workspaces = { a: workspaceId, b: randomUUID() };
type Cell = keyof typeof workspaces;
const cellNames: Cell[] = ['a', 'b'];

interface Installation {
  api: Service;
  worker: Service;
  database: TestDatabase;
  amqpUrl: string;
}

let cells: Record<Cell, Installation>;
let url: string;
let destination: HttpReceiver;
let token: string;
let stopNginx: () => Promise<void>;
let publisher: AlertPublisher;

beforeAll(async () => {
  destination = await startHttpReceiver();
  token = await tokenOf('admin');
  // The cells are started in sequence, because starting four services at once takes too long on a busy machine.
  const a = await startCell('a');
  const b = await startCell('b');
  cells = { a, b };
  ({ url, stop: stopNginx } = await startNginx());
  const publisherOf = ({ amqpUrl }: Installation) =>
    createAmqpPublisher({ url: amqpUrl, workspaceId: workspaces.a });
  publisher = createCellPublisher({
    cells: { a: await publisherOf(a), b: await publisherOf(b) },
    workspaces: { [workspaces.b]: 'b' },
    defaultCell: 'a',
  });
}, 90_000);
afterAll(async () => {
  await publisher.close();
  await stopNginx();
  await stop(Object.values(cells).flatMap(({ api, worker }) => [api, worker]));
  await Promise.all([destination.close(), ...Object.values(cells).map(({ database }) => database.drop())]);
});

async function startCell(cell: Cell): Promise<Installation> {
  const database = await createTestDatabase();
  const { url: amqpUrl } = await createTestBroker(cell === 'b' ? secondBroker : undefined);
  const env = { ...testSettings(database.url, amqpUrl), LOG_LEVEL: 'info' };
  const [port1 = 0, port2 = 0, port3 = 0, port4 = 0] = await findFreePorts(4);
  const [api, worker] = await Promise.all([
    startService('webhook-api', { env, ports: [port1, port2] }),
    startService('delivery-worker', { env, ports: [port3, port4] }),
  ]);
  return { api, worker, database, amqpUrl };
}

/** Starts nginx with the shipped configuration. Only the addresses are replaced. */
async function startNginx() {
  const { directory, processes, program, port } = await prepareServer('nginx', {
    debianPackage: 'nginx-light',
  });
  let text = readFileSync(configuration, 'utf8');
  for (const [shipped, used] of [
    ['server 10.0.1.10:8080;', `server ${new URL(cells.a.api.url).host};`],
    ['server 10.0.2.10:8080;', `server ${new URL(cells.b.api.url).host};`],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
  ] as const) {
    expect(text).toContain(shipped);
    text = text.replace(shipped, used);
  }
  writeFileSync(join(directory, 'nginx.conf'), text);
  writeFileSync(join(directory, 'workspaces.map'), `${workspaces.b} cell_b;\n`);
  const globals = `daemon off; pid ${directory}/pid; error_log stderr;`;
  const child = await processes.start({
    name: 'nginx',
    command: program,
    args: ['-p', directory, '-c', join(directory, 'nginx.conf'), '-g', globals],
    env: { PATH: '/usr/sbin:/usr/bin:/bin' },
    logFile: join(directory, 'nginx.log'),
  });
  const address = `http://127.0.0.1:${port}`;
  await until(
    'nginx responds',
    () =>
      fetch(`${address}/livez`).then(
        ({ ok }) => ok,
        () => false,
      ),
    longWait,
  );
  return {
    url: address,
    async stop() {
      await child.stop();
      processes.close();
    },
  };
}

/** Sends a request to the API as an admin. `T` is the expected type of the response body. */
async function call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

interface Configured {
  webhookId: string;
  ruleId: string;
}

async function configure(cell: Cell): Promise<Configured> {
  const webhook = await call<Webhook>('POST', `/workspaces/${workspaces[cell]}/webhooks`, {
    name: `cell ${cell}`,
    url: destination.url(`/${cell}`),
    body: '{"alert": "{{ alert_id }}"}',
  });
  const rule = await call<AlertRule>('POST', `/workspaces/${workspaces[cell]}/alert_rules`, {
    name: 'accuracy',
    model_id: randomUUID(),
    threshold: 0.9,
    bound: 'lower_bound',
    notification_webhook_ids: [webhook.body.id],
  });
  expect([webhook.status, rule.status]).toEqual([201, 201]);
  return { webhookId: webhook.body.id, ruleId: rule.body.id };
}

function facts(ruleId: string) {
  return { alert_rule_id: ruleId, model_id: randomUUID(), model_name: 'churn', metric_value: 0.8 };
}

async function delivered(cell: Cell, alertId: string) {
  await until(
    'the alert has arrived',
    () => destination.at(`/${cell}`).some(({ body }) => body.includes(alertId)),
    longWait,
  );
  const path = `/workspaces/${workspaces[cell]}/deliveries?alert_id=${alertId}`;
  return until(
    'the delivery has ended',
    async () => {
      const [delivery] = (await call<Delivery[]>('GET', path)).body;
      return delivery?.status === 'succeeded' && delivery;
    },
    longWait,
  );
}

test.each(cellNames)(
  'webhooks, alerts and redeliveries of cell %s work through the shared address of all cells',
  async (cell) => {
    const { webhookId, ruleId } = await configure(cell);
    const { database } = cells[cell].database;
    expect(await database.knex('webhooks').where({ id: webhookId }).pluck('id')).toEqual([webhookId]);

    expect((await call<Webhook>('GET', `/webhooks/${webhookId}`)).body.name).toBe(`cell ${cell}`);
    const changed = await call<Webhook>('PATCH', `/webhooks/${webhookId}`, { name: 'renamed' });
    expect([changed.status, changed.body.name]).toEqual([200, 'renamed']);
    expect((await call('GET', `/alert_rules/${ruleId}`)).status).toBe(200);

    const { status, body } = await call<{ alert_id: string }>(
      'POST',
      `/workspaces/${workspaces[cell]}/alerts`,
      facts(ruleId),
    );
    expect(status).toBe(202);
    const delivery = await delivered(cell, body.alert_id);
    expect((await call('POST', `/deliveries/${delivery.id}/redeliver`)).status).toBe(202);
    await until('it has arrived twice', () => arrivals(cell, body.alert_id) === 2, longWait);
  },
);

function arrivals(cell: Cell, alertId: string): number {
  return destination.at(`/${cell}`).filter(({ body }) => body.includes(alertId)).length;
}

test.each(cellNames)('the publisher for cells sends alerts to the broker of their cell %s', async (cell) => {
  const { ruleId } = await configure(cell);
  const { alert_id } = await publisher.publish({ ...facts(ruleId), workspace_id: workspaces[cell] });
  await delivered(cell, alert_id);
});

test('the shared address returns 404 for unknown ids, and lists only the requested workspace', async () => {
  expect((await call('GET', `/webhooks/${randomUUID()}`)).status).toBe(404);
  const lists = await Promise.all(
    cellNames.map((cell) => call<Webhook[]>('GET', `/workspaces/${workspaces[cell]}/webhooks`)),
  );
  const owners = lists.map(({ body }) => new Set(body.map(({ workspace_id }) => workspace_id)));
  expect(owners).toEqual(cellNames.map((cell) => new Set([workspaces[cell]])));
});
