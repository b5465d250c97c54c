import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAmqpPublisher } from '@tocsin/client';
import {
  createProcessHost,
  ensureRabbitmqInstalled,
  findFreePorts,
  getPostgresUser,
  startPostgres,
  startRabbitmq,
} from '@tocsin/local';
import { createBroker } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { Client } from 'pg';
import { readText } from './support/compose.js';
import { run, type Service, startService, stop, testSettings } from './support/stack.js';

// Servers and certificates are set up with the commands and settings of docs/tls.md.

const page = readText('docs/tls.md');
const directory = mkdtempSync(join(tmpdir(), 'tocsin-tls-'));
const tls = join(directory, 'authority');
const processes = createProcessHost();
const password = 'p';
let databaseUrl: string;
let brokerUrl: string;
let superuser: Client;
let services: Service[] = [];

/**
 * Returns the first code block of docs/tls.md in which the text `part` occurs. The paths and host names in the block
 * are replaced by those of this test.
 */
function block(part: string): string {
  const blocks = [...page.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const found = blocks.find((text) => text.includes(part)) ?? '';
  return found.replaceAll('/etc/tocsin/tls', tls).replaceAll(/DNS:(db|mq)\.example/g, 'IP:127.0.0.1');
}

const settingsOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/^(\w+) = '?([^'\n]*)'?$/gm)].map(([, name, value]) => [name, value]));

beforeAll(async () => {
  execFileSync('sh', ['-euc', block('openssl req -x509')], { cwd: directory, stdio: 'pipe' });
  // In this test the servers read the files in the directories where the commands created them. The users of the
  // servers must be able to enter these directories.
  for (const folder of [directory, tls]) chmodSync(folder, 0o711);
  const user = getPostgresUser();
  if (user !== undefined) chownSync(join(tls, 'database.key'), user.uid, user.gid);
  const hba = join(directory, 'pg_hba.conf');
  const own = 'host all tocsin 127.0.0.1/32 scram-sha-256';
  const guide = block('clientcert=verify-full').replace('hostssl tocsin tocsin', 'hostssl tocsin app');
  // In docs/tls.md the services connect as the user `tocsin`. In this test `tocsin` is the superuser, so the services
  // connect as the user `app`, with a separate certificate.
  writeFileSync(hba, `${guide}${own}\n`);
  const issue = block('openssl req -x509').match(/^issue\(\)[\s\S]*?^\}/m)?.[0];
  const app = `${issue}\nissue app /CN=app extendedKeyUsage=clientAuth`;
  execFileSync('sh', ['-euc', app], { cwd: directory, stdio: 'pipe' });

  const [port = 0, amqp = 0, amqps = 0, epmd = 0, distribution = 0, ...ports] = await findFreePorts(11);
  const postgres = await startPostgres({
    processes,
    directory: join(directory, 'postgres'),
    logFile: join(directory, 'postgres.log'),
    port,
    durable: false,
    database: 'tocsin',
    settings: { ...settingsOf(block('ssl_cert_file')), hba_file: hba },
  });
  superuser = new Client({ connectionString: postgres.url });
  await superuser.connect();
  await superuser.query(`create role app login password '${password}'`);
  await superuser.query('alter database tocsin owner to app');

  const installed = ensureRabbitmqInstalled(join(directory, 'apt.log'), console.log);
  const rabbitmq = await startRabbitmq({
    processes,
    directory: join(directory, 'rabbitmq'),
    logFile: join(directory, 'rabbitmq.log'),
    ports: { amqp, epmd, distribution },
    installed,
    settings: [block('listeners.ssl').replace('5671', `127.0.0.1:${amqps}`)],
  });
  databaseUrl = block('DATABASE_URL=')
    .trim()
    .replace('DATABASE_URL=', '')
    .replace('tocsin:PASSWORD@db.example:5432', `app:${password}@127.0.0.1:${port}`)
    .replaceAll('/tocsin.', '/app.');
  const { username, password: brokerPassword } = new URL(rabbitmq.url);
  brokerUrl = block('AMQP_URL=')
    .trim()
    .replace('AMQP_URL=', '')
    .replace('tocsin:PASSWORD@mq.example:5671', `${username}:${brokerPassword}@127.0.0.1:${amqps}`);

  const env = testSettings(databaseUrl, brokerUrl);
  const migrations = run('packages/database/dist/migrate.js', env);
  expect([await migrations.ended, migrations.output()]).toEqual([0, expect.stringContaining('Applied')]);
  const pair = (at: number): [number, number] => [ports[at] ?? 0, ports[at + 1] ?? 0];
  services = [
    await startService('webhook-api', { env, ports: pair(0) }),
    await startService('engine-auth', { env, ports: pair(2) }),
    await startService('delivery-worker', { env, ports: pair(4) }),
  ];
}, 300_000);
afterAll(async () => {
  await stop(services);
  await superuser?.end();
  await processes.killAll();
  processes.close();
  rmSync(directory, { recursive: true });
});

test('all connections of the services to PostgreSQL use TLS and a client certificate', async () => {
  const { rows } = await superuser.query<{ application_name: string; client_dn: string }>(
    `select distinct application_name, ssl, client_dn from pg_stat_activity join pg_stat_ssl using (pid)
     where usename = 'app' order by 1`,
  );
  expect(rows).toEqual(
    ['tocsin-delivery-worker', 'tocsin-delivery-worker lease', 'tocsin-engine-auth', 'webhook-api'].map(
      (name) => ({ application_name: name, ssl: true, client_dn: '/CN=app' }),
    ),
  );
});

test('an alert that is published with TLS is processed', async () => {
  const workspaceId = randomUUID();
  const alert = { alert_rule_id: randomUUID(), model_id: randomUUID(), model_name: 'm', metric_value: 1 };
  const publisher = await createAmqpPublisher({ url: brokerUrl, workspaceId });
  const rule = {
    name: 'r',
    threshold: 0.4,
    bound: 'upper_bound',
    enabled: true,
    notification_webhook_ids: [],
  };
  await publisher.publish({ ...alert, alert_rule: rule } as Parameters<typeof publisher.publish>[0]);
  await publisher.close();
  await until('the alert is recorded', async () => {
    const { rowCount } = await superuser.query('select 1 from alerts where workspace_id = $1', [workspaceId]);
    return rowCount === 1;
  });
});

/** Returns a function that removes query parameters from a URL. */
const without =
  (...parameters: string[]) =>
  (text: string) => {
    const url = new URL(text);
    for (const parameter of parameters) url.searchParams.delete(parameter);
    return url.href;
  };
const toLocalhost = (text: string) => text.replace('127.0.0.1', 'localhost');

test.each<[string, (url: string) => string, RegExp]>([
  ['without the authority', without('sslrootcert'), /self-signed certificate/],
  ['without a client certificate', without('sslcert', 'sslkey'), /valid client certificate/],
  [
    "with another user's certificate",
    (url) => url.replaceAll('/app.', '/tocsin.'),
    /authentication failed for user "app"/,
  ],
  ['without TLS', without('sslmode', 'sslrootcert', 'sslcert', 'sslkey'), /no encryption/],
  ['with a name that the certificate does not have', toLocalhost, /Hostname\/IP does not match/],
])('a connection to PostgreSQL %s fails', async (_, change, reason) => {
  const migrations = run('packages/database/dist/migrate.js', { DATABASE_URL: change(databaseUrl) });
  expect([await migrations.ended, migrations.output()]).toEqual([1, expect.stringMatching(reason)]);
});

test.each<[string, (url: string) => string, RegExp]>([
  ['without the authority', without('cacertfile'), /self-signed certificate/],
  ['without a client certificate', without('certfile', 'keyfile'), /alert|closed|ECONNRESET/],
  ['with a name that the certificate does not have', toLocalhost, /Hostname\/IP does not match/],
])('a connection to RabbitMQ %s fails', async (_, change, reason) => {
  const broker = await createBroker({ url: change(brokerUrl), name: 'test' });
  await until('the connection has failed', () => broker.lastError() !== undefined);
  const state = [broker.isUp(), String(broker.lastError())];
  await broker.close();
  expect(state).toEqual([false, expect.stringMatching(reason)]);
});
