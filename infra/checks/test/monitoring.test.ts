import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { createProcessHost, findFreePorts, startPostgres } from '@tocsin/local';
import { type HttpReceiver, startHttpReceiver, until } from '@tocsin/testing';
import { Client } from 'pg';
import { parse } from 'yaml';
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
let proxy: ReturnType<typeof createServer>;
let proxyAddress: string;

beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  const { url } = await startPostgres({
    processes,
    directory: join(directory, 'postgres'),
    logFile: join(directory, 'postgres.log'),
    port,
    durable: false,
    settings: { wal_level: 'replica', max_wal_senders: 2 },
  });
  const client = new Client({ connectionString: url });
  await client.connect();
  // infra/postgres/init creates a user with the same permissions.
  await client.query("create role metrics login password 'p' connection limit 5 in role pg_monitor");
  await client.query("select pg_create_physical_replication_slot('standby', true)");
  await client.end();
  receiver = await startHttpReceiver();
  const authority = createAuthority(directory);
  const soon = authority.issue('proxy', { extensions: ['subjectAltName=IP:127.0.0.1'], days: 5 });
  proxy = createServer({ cert: readFileSync(soon.certificate), key: readFileSync(soon.key) });
  proxy.on('tlsClientError', () => {});
  proxy.listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  proxyAddress = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  monitoring = await startMonitoring({
    databaseUrl: Object.assign(new URL(url), { username: 'metrics', password: 'p' }).href,
    directory,
    watched: [proxyAddress],
    authorityFile: authority.certificate,
    receivers: { chat: receiver.url('/chat'), watchdog: receiver.url('/watchdog') },
  });
}, 600_000);
afterAll(async () => {
  await monitoring?.stop();
  proxy?.close();
  await receiver?.close();
  await processes.killAll();
  processes.close();
  rmSync(directory, { recursive: true });
});

const sentToChat = () => receiver.at('/chat').map(({ body }) => body);
const wasSent = (text: string) => sentToChat().some((body) => body.includes(text));

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
  const { groups } = parse(readText('infra/prometheus/alarms.yml')) as {
    groups: { name: string; rules: { expr: string }[] }[];
  };
  const rules = groups.find(({ name }) => name === 'infrastructure')?.rules ?? [];
  const queried = rules.flatMap(({ expr }) => selectionsOf(expr)).map(({ metric }) => metric);
  // Metrics that the exporters do not export in this test: Prometheus creates `up`, the blackbox exporter creates
  // `probe_*` for each check, and PostgreSQL has replication statistics only with a standby.
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

test('alarms about a failing receiver are sent to the other receiver', async () => {
  receiver.respond('/watchdog', (_, response) => response.writeHead(404).end());
  await until('the refusal is reported', () => wasSent('the receiver webhook refuses them'), {
    ...shown,
    timeoutMs: 120_000,
  });
}, 130_000);

test('an alarm fires if the database does not respond to its exporter', async () => {
  expect(wasSent('PostgresDown')).toBe(false);
  await monitoring.stopOne('postgres-exporter');
  await until('the database is reported', () => wasSent('PostgresDown'), shown);
});

test.each(['as shipped', 'with receivers'])('amtool accepts the configuration %s', (kind) => {
  const file = join(directory, 'alertmanager.yml');
  const text = readText('infra/alertmanager/alertmanager.yml');
  const enabled = alertmanagerConfiguration('/run/secrets/chat_url', { watchdog: 'http://127.0.0.1/' });
  writeFileSync(file, kind === 'as shipped' ? text : enabled);
  const { status, stdout, stderr } = spawnSync('amtool', ['check-config', file], { encoding: 'utf8' });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

test('the receivers read their addresses from mounted files', () => {
  const named = readText('infra/alertmanager/alertmanager.yml').match(/\/run\/secrets\/\w+/g);
  expect(mountedSecrets('alertmanager').map(({ path }) => path)).toEqual(named);
});
