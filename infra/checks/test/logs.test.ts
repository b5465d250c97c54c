import { findFreePorts } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import {
  type Call,
  createCall,
  publishMalformed,
  secrets,
  spellingsOf,
  startRawDestination,
  withCredentials,
} from './support/planted-secrets.js';
import { tokenOf, workspaceId } from './support/requests.js';
import {
  type LoggingProgram,
  longWait,
  run,
  type Service,
  startService,
  startStack,
  stop,
  testSettings,
} from './support/stack.js';

const modelId = '6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11';
const programs: LoggingProgram[] = [];
let database: TestDatabase;
let destination: Awaited<ReturnType<typeof startRawDestination>>;
let env: Record<string, string>;
let api: Service;
let engine: Service;
let worker: Service;
let amqpUrl: string;
const given: string[] = [];
const call = createCall(given);
/**
 * Error texts of the API about failed deliveries and webhook tests. They must not contain secrets, because they are
 * stored and shown to users who may not read the webhook.
 */
const told: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  amqpUrl = (await createTestBroker()).url;
  // `secrets` contains only a wrong password of the broker. No output may contain the correct password either, so it is
  // added to `given`.
  given.push(new URL(amqpUrl).password);
  destination = await startRawDestination();
  await database.database.knex.raw(
    `create role tocsin_planted superuser login password '${secrets.databasePassword}'`,
  );
  env = {
    ...testSettings(withCredentials(database.url, 'tocsin_planted', secrets.databasePassword), amqpUrl),
    SECRETS_KEYS: `k1:${secrets.encryption}`,
    GENAI_ENGINE_ADMIN_KEY: secrets.adminKey,
    RETRY_SCHEDULE: '50ms,50ms',
  };
  ({ api, engine, worker } = await startStack(env));
  programs.push(api, engine, worker);
}, 60_000);
afterAll(async () => {
  await stop(programs);
  await destination.close();
  await database.database.knex.raw(`drop role if exists tocsin_planted`);
  await database.drop();
});

const inWorkspace = (path: string) => `${api.url}/api/v1/workspaces/${workspaceId}/${path}`;

function webhookTo(kind: string, changes: object = {}) {
  const path = `${kind}/${encodeURIComponent(secrets.url)}?key=${encodeURIComponent(secrets.query)}`;
  return {
    name: kind,
    url: `http://127.0.0.1:${destination.port}/${path}`,
    headers: { Authorization: [secrets.header], 'X-Api-Key': [secrets.key] },
    body: `{"secret": ${JSON.stringify(secrets.body)}, "model": "{{ model_name }}"}`,
    ...changes,
  };
}

/** Creates a webhook and a rule, and publishes an alert with this request id. Resolves when the delivery has ended. */
async function deliver(webhook: object, requestId: string): Promise<void> {
  const { body: saved } = await call(inWorkspace('webhooks'), { body: webhook });
  const rule = { name: 'r', model_id: modelId, threshold: 0.4, bound: 'upper_bound', enabled: true };
  const { body: created } = await call(inWorkspace('alert_rules'), {
    body: { ...rule, notification_webhook_ids: [saved.id] },
  });
  const alert = { alert_rule_id: created.id, model_id: modelId, model_name: 'm', metric_value: 0.5 };
  const fired = await call(inWorkspace('alerts'), { body: alert, headers: { 'X-Request-Id': requestId } });
  expect(fired.status).toBe(202);
  await until(
    `the delivery of ${requestId} has ended`,
    async () => {
      const listed = await call(inWorkspace(`deliveries?alert_id=${fired.body.alert_id}`), { method: 'GET' });
      const hasEnded = ['succeeded', 'failed', 'skipped'].includes(listed.body[0]?.status);
      if (hasEnded) told.push(listed.body[0].error ?? '');
      return hasEnded;
    },
    longWait,
  );
}

const linesOf = (program: LoggingProgram, event: string, requestId: string) =>
  program.lines(event).filter((line) => line.request_id === requestId);

test('the log lines of the API request, the fan-out and each attempt contain the request id', async () => {
  await deliver(webhookTo('fail'), 'req-of-the-test');
  await until('all is logged', () => linesOf(worker, 'delivery.attempted', 'req-of-the-test').length === 3);
  const [published] = linesOf(api, 'http.request', 'req-of-the-test');
  const [fannedOut] = linesOf(worker, 'alert.fanned_out', 'req-of-the-test');
  expect(published).toMatchObject({ level: 'info', status: 202, alert_id: expect.any(String) });
  expect(fannedOut).toMatchObject({ level: 'info', outcome: 'dispatched', webhooks: 1 });
  expect(fannedOut?.alert_id).toBe(published?.alert_id);
  expect(linesOf(worker, 'delivery.attempted', 'req-of-the-test')).toMatchObject([
    {
      step: 0,
      outcome: 'retry',
      error_code: 'http_status',
      status_code: 500,
      duration_ms: expect.any(Number),
    },
    { step: 1, outcome: 'retry' },
    { step: 2, outcome: 'failed', workspace_id: workspaceId, alert_id: published?.alert_id },
  ]);
});

test('an invalid request id of a publisher is not logged', async () => {
  await publishMalformed(amqpUrl, ['two\nlines', 'x'.repeat(200), secrets.message.replaceAll('-', ' ')]);
  await until('they are dead-lettered', () => worker.lines('alert.dead_lettered').length === 3);
  for (const line of worker.lines('alert.dead_lettered')) {
    expect(line).toMatchObject({ level: 'warn', reason: 'malformed_message' });
    expect(line.request_id).toBeUndefined();
  }
});

test('webhook tests get no status 5xx, and invalid requests get status 400, 401 or 422', async () => {
  const closed = (await findFreePorts(1))[0];
  const nowhere = { url: `http://127.0.0.1:${closed}/${encodeURIComponent(secrets.url)}` };
  const kinds: [string, object?][] = [
    ['ok'],
    ['redirect'],
    ['noise'],
    ['cut'],
    ['refused', nowhere],
    ['tls', { url: `https://127.0.0.1:${destination.port}/${encodeURIComponent(secrets.url)}` }],
    ['unknown', { url: `http://${secrets.userinfo}.invalid/${encodeURIComponent(secrets.url)}` }],
  ];
  await Promise.all(kinds.map(([kind, changes]) => deliver(webhookTo(kind, changes), `req-${kind}`)));

  const { name: _, ...probe } = webhookTo('noise');
  for (const changes of [{}, nowhere, { url: 'http://10.0.0.1/' }, { body: secrets.body }]) {
    const tested = await call(inWorkspace('webhooks/test'), { body: { ...probe, ...changes } });
    expect(tested.status).toBeLessThan(500);
    told.push(tested.body.error ?? '');
  }
  const rejections: [Call['body'], number][] = [
    [webhookTo('x', { url: `http://user:${secrets.userinfo}@127.0.0.1/` }), 422],
    [webhookTo('x', { body: `{{ "${secrets.url}` }), 422],
    [webhookTo('x', { headers: { 'Bad Name': [secrets.header] } }), 422],
    [webhookTo('x', { [secrets.key]: 1 }), 422],
    [`{"url": "${secrets.url}", `, 400],
  ];
  for (const [body, status] of rejections) {
    expect((await call(inWorkspace('webhooks'), { body })).status).toBe(status);
  }
  await call(inWorkspace('webhooks/preview'), { body: { body: `{{ 1 / 0 }}${secrets.url}` } });
  await call(inWorkspace(`deliveries?cursor=${secrets.cursor}`), { method: 'GET' });
  await call(`${api.url}/${encodeURIComponent(secrets.url)}?token=${secrets.cursor}`, { method: 'GET' });
  const token = await tokenOf('admin');
  const malformed = [`${secrets.token} ${secrets.token}`, `e30.${secrets.token}.x`];
  for (const credential of [secrets.token, `${token}${secrets.token}`, ...malformed]) {
    expect((await call(inWorkspace('webhooks'), { method: 'GET', as: `Bearer ${credential}` })).status).toBe(
      401,
    );
  }
}, 60_000);

test('the engine accepts a valid key, and rejects wrong, malformed and deactivated keys with 401', async () => {
  const admin = `Bearer ${secrets.adminKey}`;
  const keys = `${engine.url}/auth/api_keys/`;
  const { body: created } = await call(keys, { as: admin, body: { description: 'd' } });
  given.push(created.key, Buffer.from(created.key, 'base64').toString().split(':')[1] ?? '');
  const wrong = Buffer.from(`${created.id}:${secrets.key}`).toString('base64');
  const verify = (as: string) => call(`${engine.url}/auth/verify`, { method: 'GET', as });
  expect((await verify(`Bearer ${created.key}`)).status).toBe(204);
  for (const credential of [wrong, secrets.key, `${secrets.adminKey}x`, `a.${secrets.token}.c`]) {
    expect((await verify(`Bearer ${credential}`)).status).toBe(401);
  }
  expect((await call(keys, { as: admin, body: `{"description": "${secrets.key}"` })).status).toBe(400);
  expect((await call(`${keys}deactivate/${created.id}`, { method: 'DELETE', as: admin })).status).toBe(204);
  expect((await verify(`Bearer ${created.key}`)).status).toBe(401);
});

test('a worker without a database logs the problem, and another worker processes the messages', async () => {
  const [port = 0, metricsPort = 0] = await findFreePorts(2);
  const stranded = await startService('delivery-worker', {
    env: { ...env, DATABASE_URL: `postgres://u:${secrets.databasePassword}@127.0.0.1:1/x` },
    ports: [port, metricsPort],
    path: '/livez',
  });
  programs.push(stranded);
  await until('it says so', () => stranded.lines('database.unavailable').length > 0);
  const before = worker.lines('alert.dead_lettered').length;
  await publishMalformed(
    amqpUrl,
    Array.from({ length: 20 }, (_, index) => `not-for-the-stranded-${index}`),
  );
  await until('the other has them', () => worker.lines('alert.dead_lettered').length === before + 20);
  stranded.child.kill('SIGKILL');
  await stranded.ended;
});

test('services without a database and broker return 503, and programs with wrong settings exit', async () => {
  const wrongDatabase = withCredentials(database.url, 'tocsin_planted', `${secrets.databasePassword}wrong`);
  const wrongBroker = withCredentials(amqpUrl, 'nobody', secrets.brokerPassword);
  const closed = `postgres://u:${secrets.databasePassword}@127.0.0.1:1/x`;
  const ports = await findFreePorts(6);
  const pair = (at: number): [number, number] => [ports[at] ?? 0, ports[at + 1] ?? 0];
  const astray = { ...env, DATABASE_URL: closed, AMQP_URL: wrongBroker, BROKER_WAIT: '100ms' };
  const lost = await Promise.all(
    ['webhook-api', 'engine-auth', 'delivery-worker'].map((name, index) =>
      startService(name, { env: astray, ports: pair(2 * index), path: '/livez' }),
    ),
  );
  programs.push(...lost);
  expect(
    (await call(`${lost[0]?.url}/api/v1/workspaces/${workspaceId}/webhooks`, { body: webhookTo('ok') }))
      .status,
  ).toBe(503);
  const rawKey = Buffer.from(`${modelId}:${secrets.key.padEnd(43, 'x')}`).toString('base64');
  expect((await call(`${lost[1]?.url}/auth/verify`, { method: 'GET', as: `Bearer ${rawKey}` })).status).toBe(
    503,
  );
  await until('each has missed the broker', () =>
    lost.every((program) => program.output().includes('"msg":"broker.unreachable"')),
  );
  const broken = [
    { DATABASE_URL: `postgres//${secrets.databasePassword}` },
    { SECRETS_KEYS: `k1:${secrets.encryption}x,${secrets.key}` },
    { OIDC_ENTERPRISE_ISSUERS: `[{"issuer": "${secrets.key}"` },
    { AMQP_URL: `http://u:${secrets.brokerPassword}@x` },
  ];
  const addresses = [wrongDatabase, closed, `postgres:/${secrets.databasePassword}@@:x`];
  const failing = [
    ...broken.map((changes) => ({ script: 'services/webhook-api/dist/main.js', changes, says: true })),
    ...['migrate', 'rotate-keys'].flatMap((name) =>
      addresses.map((DATABASE_URL) => ({
        script: `packages/database/dist/${name}.js`,
        changes: { DATABASE_URL },
        says: false,
      })),
    ),
  ];
  await Promise.all(
    failing.map(async ({ script, changes, says }) => {
      const failed = run(script, { ...env, ...changes });
      programs.push(failed);
      expect([script, await failed.ended]).toEqual([script, 1]);
      if (says) expect(failed.output()).toContain(Object.keys(changes)[0]);
    }),
  );
  await stop(lost);
}, 60_000);

test('no log line, metric or error message contains a secret in any encoding', async () => {
  const exported = await Promise.all(
    [api, engine, worker].map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()),
  );
  const output = [...programs.map((program) => program.output()), ...told, ...exported].join('\n');
  expect(output.split('\n').length).toBeGreaterThan(100);
  expect(told.filter((error) => error !== '').length).toBeGreaterThan(6);
  const planted = [...Object.values(secrets), ...new Set(given)].filter((secret) => secret !== '');
  for (const secret of planted) {
    for (const spelling of spellingsOf(secret)) {
      const at = output.indexOf(spelling);
      const shown = at < 0 ? 'nowhere' : output.slice(output.lastIndexOf('\n', at) + 1, at + 200);
      expect([spelling, shown]).toEqual([spelling, 'nowhere']);
    }
  }
});

test('each log line is JSON, and client errors are never logged at level error', () => {
  for (const service of [api, engine, worker]) {
    for (const line of service.output().trim().split('\n')) {
      const { level, msg } = JSON.parse(line) as Record<string, string>;
      expect([level === 'error' || level === 'fatal', msg, line]).toEqual([false, msg, line]);
    }
  }
});
