import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canInstallPackages, createProcessHost, findFreePorts, installWithoutService } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { parse, stringify } from 'yaml';
import { readText } from './compose.js';

export interface MonitoringOptions {
  /**
   * URL with which the PostgreSQL exporter connects to the database. The user in the URL has permission to read
   * statistics.
   */
  databaseUrl: string;
  /** Addresses (host:port) whose certificates are checked. */
  watched: string[];
  /** PEM file of the certificate authority that issued the checked certificates. */
  authorityFile: string;
  /**
   * Address (host:port) of a test server that returns metrics of the services. Prometheus does not overwrite the labels
   * of these metrics.
   */
  services: string;
  /** URLs of the receivers of alarms. */
  receivers: { chat: string; watchdog: string };
}

export interface Monitoring {
  /** Returns the metrics of an exporter or of Alertmanager. */
  scrape(container: MonitoredContainer): Promise<string>;
  /** Returns the alarms that fire in Prometheus. */
  firing(): Promise<FiringAlarm[]>;
  /** Stops an exporter or Alertmanager. */
  stopOne(container: MonitoredContainer): Promise<void>;
  stop(): Promise<void>;
}

interface FiringAlarm {
  labels: { alertname: string };
  annotations: { summary: string; runbook: string };
}

type MonitoredContainer = 'postgres-exporter' | 'node-exporter' | 'alertmanager';

/** Containers of the compose file, each with the Debian program that the tests run instead. */
const programs = {
  prometheus: 'prometheus',
  alertmanager: 'prometheus-alertmanager',
  'postgres-exporter': 'prometheus-postgres-exporter',
  'node-exporter': 'prometheus-node-exporter',
  'blackbox-exporter': 'prometheus-blackbox-exporter',
} as const;

/**
 * Starts Prometheus, Alertmanager and the exporters with the shipped configuration. Alarms are evaluated every second
 * without their `for` time, and sent within a few seconds. Missing Debian packages are installed.
 */
export async function startMonitoring(options: MonitoringOptions): Promise<Monitoring> {
  const { databaseUrl, watched, services, receivers } = options;
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-monitoring-'));
  const processes = createProcessHost();
  processes.removeAtEnd(directory);
  for (const name of Object.values(programs)) ensureInstalled(name, join(directory, 'apt.log'));
  const names = Object.keys(programs) as (keyof typeof programs)[];
  const ports = await findFreePorts(names.length);
  const addressOf = (name: keyof typeof programs) => `127.0.0.1:${ports[names.indexOf(name)]}`;
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const start = async (name: keyof typeof programs, args: string[], env: NodeJS.ProcessEnv = {}) =>
    processes.start({
      name,
      command: `/usr/bin/${programs[name]}`,
      args: [`--web.listen-address=${addressOf(name)}`, ...args],
      env,
      cwd: directory,
      logFile: join(directory, `${name}.log`),
    });

  const { host, pathname, username, password } = new URL(databaseUrl);
  const children = {
    'postgres-exporter': await start('postgres-exporter', [], {
      DATA_SOURCE_URI: `${host}${pathname}?sslmode=disable`,
      DATA_SOURCE_USER: username,
      DATA_SOURCE_PASS_FILE: write('password', password),
    }),
    'node-exporter': await start('node-exporter', ['--collector.disable-defaults', '--collector.filesystem']),
    'blackbox-exporter': await start('blackbox-exporter', [
      `--config.file=${write('blackbox.yml', blackboxConfiguration(options))}`,
    ]),
    alertmanager: await start('alertmanager', [
      `--config.file=${write('alertmanager.yml', alertmanagerConfiguration(write('chat_url', receivers.chat), receivers))}`,
      `--storage.path=${join(directory, 'alertmanager')}`,
      '--cluster.listen-address=',
    ]),
  };
  const rules = readText('infra/prometheus/alarms.yml').replaceAll(/^ {8}for: .*\n/gm, '');
  const certificates = write('certificates.yml', stringify([{ targets: watched }]));
  const prometheus = readText('infra/prometheus/prometheus.yml')
    .replaceAll(/_interval: 1\w+/g, '_interval: 1s')
    .replaceAll(/\b([a-z-]+):(9093|9187|9100|9115)\b/g, (_, name) => addressOf(name))
    .replace('/etc/prometheus/alarms.yml', write('alarms.yml', rules))
    .replace('/etc/prometheus/certificates.yml', certificates);
  const configuration = parse(prometheus) as { scrape_configs: object[] };
  configuration.scrape_configs.push({
    job_name: 'services',
    honor_labels: true,
    static_configs: [{ targets: [services] }],
  });
  await start('prometheus', [
    `--config.file=${write('prometheus.yml', stringify(configuration))}`,
    `--storage.tsdb.path=${join(directory, 'prometheus')}`,
    // Prometheus can send an alarm before it has found Alertmanager. After this delay it sends the alarm again.
    '--rules.alert.resend-delay=1s',
  ]);

  const scrape = async (name: keyof typeof programs) =>
    (await fetch(`http://${addressOf(name)}/metrics`)).text();
  for (const name of names) {
    await until(`${name} responds`, () => scrape(name).then(Boolean, () => false), { timeoutMs: 20_000 });
  }
  return {
    scrape,
    async firing() {
      const response = await fetch(`http://${addressOf('prometheus')}/api/v1/alerts`);
      const { data } = (await response.json()) as { data: { alerts: (FiringAlarm & { state: string })[] } };
      return data.alerts.filter(({ state }) => state === 'firing');
    },
    stopOne: (name) => children[name].stop(),
    async stop() {
      await processes.killAll();
      processes.close();
    },
  };
}

function ensureInstalled(name: string, logFile: string): void {
  if (existsSync(`/usr/bin/${name}`)) return;
  if (!canInstallPackages()) throw new Error(`${name} is not installed: apt-get install ${name}`);
  const unitLinks = [`/etc/systemd/system/multi-user.target.wants/${name}.service`];
  installWithoutService({ name, unitLinks }, logFile);
}

function blackboxConfiguration({ authorityFile }: MonitoringOptions): string {
  return readText('infra/prometheus/blackbox.yml')
    .replace('# tls_config', 'tls_config')
    .replace('/etc/blackbox/authorities.pem', authorityFile);
}

/**
 * Returns the shipped configuration of Alertmanager with enabled receivers and delays of one second. The setting
 * `url_file` is replaced by `url`, because the Alertmanager of Debian does not support it.
 */
export function alertmanagerConfiguration(chatUrlFile: string, { watchdog }: { watchdog: string }): string {
  const text = enableReceivers(readText('infra/alertmanager/alertmanager.yml'))
    .replace('/run/secrets/chat_url', chatUrlFile)
    .replace('url_file: /run/secrets/watchdog_url', `url: ${watchdog}`)
    .replaceAll(/^( *group_(?:wait|interval)): .*$/gm, '$1: 1s');
  parse(text);
  return text;
}

/** Uncomments the receivers. */
function enableReceivers(text: string): string {
  return text.replaceAll(/^( {4})# ((?:slack|webhook)_configs:| {2}.*)$/gm, '$1$2');
}
