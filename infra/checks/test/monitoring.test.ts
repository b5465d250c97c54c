import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { createProcessHost, findFreePorts, startPostgres } from '@tocsin/local';
import { type HttpReceiver, startHttpReceiver, until } from '@tocsin/testing';
import { Client } from 'pg';
import { parse } from 'yaml';
import { alarmCases } from './support/alarm-cases.js';
import { type Given, valueAt } from './support/alarm-series.js';
import { createAuthority } from './support/certificates.js';
import { mountedSecrets, readText } from './support/compose.js';
import { parseExposition } from './support/exposition.js';
import { alertmanagerConfiguration, type Monitoring, startMonitoring } from './support/monitoring.js';
import { selectionsOf } from './support/promql.js';

// The tests run Debian's Prometheus, Alertmanager and exporters with the shipped configuration.

const shown = { timeoutMs: 60_000, intervalMs: 250 };
const directory = mkdtempSync(join(tmpdir(), 'tocsin-certificates-'));
const processes = createProcessHost();
let receiver: HttpReceiver;
let monitoring: Monitoring;
let proxy: TcpServer;
let proxyAddress: string;
let services: Server;
let databaseUrl: string;

const maxConnections = 30;

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return client;
}

async function listen(server: TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const { groups } = parse(readText('infra/prometheus/alarms.yml')) as {
  groups: { name: string; rules: { alert: string; expr: string }[] }[];
};
const rulesOf = (group: string) => groups.find(({ name }) => name === group)?.rules ?? [];

/**
 * Returns series that make each alarm of the services fire. Counters grow sixty times as fast as in the alarm cases, so
 * that the test takes seconds instead of minutes.
 */
function seriesOfServices(): string {
  const seconds = 60 * process.uptime();
  const given = rulesOf('tocsin').map(({ alert }) => alarmCases[alert]?.fires[0]?.[0]);
  const series = Object.entries(Object.assign({}, ...given) as Given);
  // Prometheus itself writes the series `up`, so the test server does not return it.
  const served = series.filter(([name]) => !name.startsWith('up{'));
  return served.map(([name, value]) => `${name} ${valueAt(seconds, value)}\n`).join('');
}

beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  const { url } = await startPostgres({
    processes,
    directory: join(directory, 'postgres'),
    logFile: join(directory, 'postgres.log'),
    port,
    durable: false,
    // The test fills 1 GiB of write-ahead log. With `wal_init_zero` off, PostgreSQL does not fill new segments with
    // zeros, so the segments need almost no disk space.
    settings: {
      wal_level: 'replica',
      max_wal_senders: 2,
      max_connections: maxConnections,
      wal_init_zero: 'off',
    },
  });
  databaseUrl = url;
  const client = await connect();
  // In a deployment, infra/postgres/init creates this user with these permissions.
  await client.query("create role metrics login password 'p' connection limit 5 in role pg_monitor");
  await client.query("select pg_create_physical_replication_slot('standby', true)");
  await client.end();
  receiver = await startHttpReceiver();
  services = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/plain; version=0.0.4').end(seriesOfServices()),
  );
  const servicesAddress = await listen(services);
  const authority = createAuthority(directory);
  const soon = authority.issue('proxy', { extensions: ['subjectAltName=IP:127.0.0.1'], days: 5 });
  proxy = createTlsServer({ cert: readFileSync(soon.certificate), key: readFileSync(soon.key) });
  proxy.on('tlsClientError', () => {});
  proxyAddress = await listen(proxy);
  monitoring = await startMonitoring({
    databaseUrl: Object.assign(new URL(url), { username: 'metrics', password: 'p' }).href,
    watched: [proxyAddress],
    authorityFile: authority.certificate,
    services: servicesAddress,
    receivers: { chat: receiver.url('/chat'), watchdog: receiver.url('/watchdog') },
  });
}, 600_000);
afterAll(async () => {
  await monitoring?.stop();
  proxy?.close();
  services?.close();
  await receiver?.close();
  await processes.killAll();
  processes.close();
  rmSync(directory, { recursive: true });
});

const sentToChat = () => receiver.at('/chat').map(({ body }) => body);
const wasSent = (text: string) => sentToChat().some((body) => body.includes(text));
const isReported = (alarm: string) =>
  sentToChat()
    .findLast((body) => body.includes(`${alarm} (`))
    ?.includes(`${alarm} (firing`) ?? false;

test('the watchdog alarm is sent to its receiver and not to the chat', async () => {
  await until('the watchdog is sent', () => receiver.at('/watchdog').length > 0, shown);
  expect(receiver.at('/watchdog')[0]?.body).toContain('"alertname":"Watchdog"');
  expect(wasSent('Watchdog')).toBe(false);
});

test('a chat message contains the description and the runbook path of its alarm', async () => {
  await until('a missing service is reported', () => wasSent('NoDeliveryWorker'), shown);
  const body = sentToChat().find((text) => text.includes('NoDeliveryWorker')) ?? '';
  expect(body).toContain('No delivery worker is running: alerts are accepted, nothing is delivered.');
  expect(body).toContain('docs/operate.md#nodeliveryworker');
  expect(body).toContain('(firing, page)');
});

test('a certificate that expires in five days fires an alarm', async () => {
  await until('the certificate is reported', () => wasSent('CertificateExpires'), shown);
  expect(wasSent(`The certificate of ${proxyAddress} expires within two weeks`)).toBe(true);
});

test('the exporters export the metrics that the alarms query', async () => {
  const scraped = await Promise.all(
    (['postgres-exporter', 'node-exporter', 'alertmanager'] as const).map(monitoring.scrape),
  );
  const exported = new Set(scraped.flatMap(parseExposition).map(({ name }) => name));
  const queried = rulesOf('infrastructure')
    .flatMap(({ expr }) => selectionsOf(expr))
    .map(({ metric }) => metric);
  // Alarms query these metrics, but the exporters do not return them in this test. Prometheus creates `up`, the
  // blackbox exporter returns `probe_*` only for a checked address, and PostgreSQL has replication statistics only with
  // a standby.
  const elsewhere = [
    'up',
    'probe_success',
    'probe_ssl_earliest_cert_expiry',
    'pg_stat_replication_pg_wal_lsn_diff',
  ];
  expect(queried.length).toBeGreaterThan(8);
  expect(queried.filter((name) => !exported.has(name) && !elsewhere.includes(name))).toEqual([]);
  expect([...exported]).toContain('pg_settings_max_connections');
});

test('each alarm of the services fires in Prometheus and has a complete summary', async () => {
  const names = rulesOf('tocsin').map(({ alert }) => alert);
  const missing = async () => {
    const firing = new Set((await monitoring.firing()).map(({ labels }) => labels.alertname));
    return names.filter((name) => !firing.has(name));
  };
  await until('all alarms fire', async () => (await missing()).length === 0, shown).catch(() => {});
  expect(await missing()).toEqual([]);
  const summaries = (await monitoring.firing()).map(({ annotations }) => annotations.summary);
  expect(summaries.filter((summary) => /<|NaN|%!/.test(summary))).toEqual([]);
});

test('an alarm fires if most connections of the database are in use', async () => {
  const clients = await Promise.all(Array.from({ length: 0.9 * maxConnections + 1 }, connect));
  await until('the connections are reported', () => wasSent('PostgresConnections'), shown);
  await Promise.all(clients.map((client) => client.end()));
});

test('a replication slot without its standby fires an alarm, and another one at 1 GiB of log', async () => {
  await until('the unused slot is reported', () => wasSent('StandbyDown'), shown);
  expect(wasSent('ReplicationLag')).toBe(false);
  const client = await connect();
  // Each segment of the write-ahead log has 16 MiB, so 65 segments are more than 1 GiB.
  for (let segments = 0; segments <= 65; segments += 1) {
    await client.query("select pg_create_restore_point('x')");
    await client.query('select pg_switch_wal()');
  }
  await client.end();
  await until('the slot is reported', () => wasSent('ReplicationLag'), shown);
  expect(wasSent('The standby standby is 1.0')).toBe(true);
});

test('a receiver that rejects the watchdog alarm causes an alarm in the chat', async () => {
  receiver.respond('/watchdog', (_, response) => response.writeHead(404).end());
  await until('the rejection is reported', () => wasSent('the receiver webhook rejects them'), {
    ...shown,
    timeoutMs: 120_000,
  });
}, 130_000);

test('an alarm fires if the exporter of the database stops', async () => {
  // On a busy machine one slow query of the exporter can fire the alarm, because the alarm has no `for` time here. The
  // test therefore first waits until the alarm does not fire.
  await until('the database responds', () => !isReported('PostgresDown'), shown);
  await monitoring.stopOne('postgres-exporter');
  await until('the database is reported', () => isReported('PostgresDown'), shown);
});

test.each(['as shipped', 'with receivers'])('amtool accepts the configuration %s', (kind) => {
  const file = join(directory, 'alertmanager.yml');
  const text = readText('infra/alertmanager/alertmanager.yml');
  const enabled = alertmanagerConfiguration('/run/secrets/chat_url', { watchdog: 'http://127.0.0.1/' });
  writeFileSync(file, kind === 'as shipped' ? text : enabled);
  const { status, stdout, stderr } = spawnSync('amtool', ['check-config', file], { encoding: 'utf8' });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

test('the receivers of alarms read their addresses from mounted files', () => {
  const named = readText('infra/alertmanager/alertmanager.yml').match(/\/run\/secrets\/\w+/g);
  expect(mountedSecrets('alertmanager').map(({ path }) => path)).toEqual(named);
});
