import { randomUUID } from 'node:crypto';
import { findFreePorts, type RunningInbox, startInbox } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { type Pgbouncer, startPgbouncer } from './support/pgbouncer.js';
import { createEngineKey, post } from './support/requests.js';
import { run, type Stack, startStack, stop, testSettings } from './support/stack.js';

// All database connections of the services use PgBouncer with its default settings. With these settings, PgBouncer
// pools sessions and rejects startup parameters.

let database: TestDatabase;
let pgbouncer: Pgbouncer;
let inbox: RunningInbox;
let stack: Stack | undefined;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  pgbouncer = await startPgbouncer(database.url);
  const [inboxPort = 0] = await findFreePorts(1);
  inbox = await startInbox({ port: inboxPort });
  env = testSettings(pgbouncer.url, (await createTestBroker()).url);
  stack = await startStack(env);
}, 600_000);
afterAll(async () => {
  await stop(Object.values(stack ?? {}));
  await inbox?.close();
  await pgbouncer?.stop();
  await database.drop();
});

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
  const { api, engine } = stack!;
  const model_id = randomUUID();
  const webhook = await post(api, 'webhooks', { name: 'w', url: `${inbox.url}/pgbouncer`, body: '{"a": 1}' });
  const rule = { name: 'r', model_id, threshold: 0.4, bound: 'upper_bound', enabled: true };
  const { id } = await post(api, 'alert_rules', { ...rule, notification_webhook_ids: [webhook.id] });
  await post(api, 'alerts', { alert_rule_id: id, model_id, model_name: 'm', metric_value: 0.5 });
  const succeeded = () => database.database.knex('deliveries').where({ status: 'succeeded' });
  await until('the delivery has succeeded', async () => (await succeeded()).length === 1);

  const verify = await createEngineKey(engine);
  expect(await verify()).toBe(204);
});
