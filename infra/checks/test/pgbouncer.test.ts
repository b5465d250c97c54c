import { randomUUID } from 'node:crypto';
import { findFreePorts, type RunningInbox, startInbox } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, type TestDatabase, testSecretsKeys } from '@tocsin/testing/database';
import { type Pgbouncer, startPgbouncer } from './support/pgbouncer.js';
import { run, type Service, startService, stop, tokenOf } from './support/stack.js';

// All connections use PgBouncer with its default settings: it pools sessions and rejects startup parameters.

const workspaceId = process.env.TOCSIN_TEST_WORKSPACE_ID ?? '';
let database: TestDatabase;
let pgbouncer: Pgbouncer;
let inbox: RunningInbox;
let services: Service[] = [];
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  pgbouncer = await startPgbouncer(database.url);
  const [inboxPort = 0, ...ports] = await findFreePorts(7);
  inbox = await startInbox({ port: inboxPort });
  env = {
    DATABASE_URL: pgbouncer.url,
    AMQP_URL: (await createTestBroker()).url,
    OIDC_ISSUER: process.env.TOCSIN_TEST_OIDC_ISSUER ?? '',
    SECRETS_KEYS: testSecretsKeys,
    EGRESS_ALLOW: '127.0.0.0/8',
    GENAI_ENGINE_ADMIN_KEY: 'the admin key of this test',
  };
  const pair = (at: number): [number, number] => [ports[at] ?? 0, ports[at + 1] ?? 0];
  services = await Promise.all([
    startService('webhook-api', { env, ports: pair(0) }),
    startService('engine-auth', { env, ports: pair(2) }),
    startService('delivery-worker', { env, ports: pair(4) }),
  ]);
}, 600_000);
afterAll(async () => {
  await stop(services);
  await inbox?.close();
  await pgbouncer?.stop();
  await database.drop();
});

async function post(path: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(`${services[0]?.url}/api/v1/workspaces/${workspaceId}/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await tokenOf('admin')}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([path, response.status < 300]).toEqual([path, true]);
  return (await response.json()) as Record<string, string>;
}

test('migrations and key rotation work through PgBouncer', async () => {
  for (const [script, text] of [
    ['migrate.js', 'The database is up to date.'],
    ['rotate-keys.js', 'with the current key.'],
  ]) {
    const program = run(`packages/database/dist/${script}`, env);
    expect([await program.ended, program.output()]).toEqual([0, expect.stringContaining(text!)]);
  }
});

test('an alert is delivered and a key is verified through PgBouncer', async () => {
  const model_id = randomUUID();
  const webhook = await post('webhooks', { name: 'w', url: `${inbox.url}/pgbouncer`, body: '{"a": 1}' });
  const rule = { name: 'r', model_id, threshold: 0.4, bound: 'upper_bound', enabled: true };
  const { id } = await post('alert_rules', { ...rule, notification_webhook_ids: [webhook.id] });
  await post('alerts', { alert_rule_id: id, model_id, model_name: 'm', metric_value: 0.5 });
  const succeeded = () => database.database.knex('deliveries').where({ status: 'succeeded' });
  await until('the delivery has succeeded', async () => (await succeeded()).length === 1);

  const admin = { Authorization: 'Bearer the admin key of this test', 'Content-Type': 'application/json' };
  const keys = `${services[1]?.url}/auth/api_keys/`;
  const created = await fetch(keys, { method: 'POST', headers: admin, body: '{"description": "d"}' });
  const { key } = (await created.json()) as { key: string };
  const headers = { Authorization: `Bearer ${key}` };
  expect((await fetch(`${services[1]?.url}/auth/verify`, { headers })).status).toBe(204);
});
