import { parse } from 'yaml';
import { readCompose, readText } from './support/compose.js';
import { imageEnv } from './support/image.js';
import { loaders } from './support/variables.js';

const services = Object.keys(loaders);
const { services: all } = readCompose();
const metricsPort = imageEnv().METRICS_PORT;

interface Targets {
  static_configs?: { targets: string[] }[];
}
interface Scrape extends Targets {
  job_name: string;
  dns_sd_configs?: { names: string[]; port: number }[];
  file_sd_configs?: { files: string[] }[];
  relabel_configs?: { target_label: string; replacement?: string }[];
}
const { scrape_configs: jobs, alerting } = parse(readText('infra/prometheus/prometheus.yml')) as {
  scrape_configs: Scrape[];
  alerting: { alertmanagers: Targets[] };
};
const targetsOf = (given: Targets[]) =>
  given.flatMap(({ static_configs = [] }) => static_configs).flatMap(({ targets }) => targets);

test('Prometheus scrapes each service at its metrics port', () => {
  for (const name of services) {
    const job = jobs.find(({ job_name }) => job_name === name);
    expect(job?.dns_sd_configs).toMatchObject([{ names: [name], type: 'A', port: Number(metricsPort) }]);
  }
});

test('each Prometheus target other than a service is a container with its default port', () => {
  const probed = jobs.flatMap(({ relabel_configs = [] }) => relabel_configs);
  const addresses = [...targetsOf(jobs), ...probed.flatMap(({ replacement }) => replacement ?? [])];
  expect(addresses.sort()).toEqual([
    'alertmanager:9093',
    'blackbox-exporter:9115',
    'node-exporter:9100',
    'postgres-exporter:9187',
    'rabbitmq:15692',
  ]);
  for (const address of addresses) expect(Object.keys(all)).toContain(address.split(':')[0]);
});

test('Prometheus sends its alarms to Alertmanager', () => {
  expect(targetsOf(alerting.alertmanagers)).toEqual(['alertmanager:9093']);
});

test('Prometheus checks the certificates of the addresses that certificates.yml lists', () => {
  const [watched] = jobs.flatMap(({ file_sd_configs = [] }) => file_sd_configs);
  expect(watched?.files).toEqual(['/etc/prometheus/certificates.yml']);
  expect(parse(readText('infra/prometheus/certificates.yml'))).toEqual([{ targets: [] }]);
});

test('Alertmanager sends the watchdog alarm every minute', () => {
  interface Route {
    receiver: string;
    group_interval: string;
    repeat_interval: string;
    routes?: Route[];
  }
  const { route } = parse(readText('infra/alertmanager/alertmanager.yml')) as { route: Route };
  const watchdog = route.routes?.find(({ receiver }) => receiver === 'watchdog');
  const checkSeconds = Number.parseInt(watchdog?.group_interval ?? '', 10);
  const repeatSeconds = Number.parseInt(watchdog?.repeat_interval ?? '', 10);
  // Alertmanager checks the alarm every `group_interval`, and sends it again at the first check after the
  // `repeat_interval`. If the `repeat_interval` ends exactly at a check, the alarm may be sent only at the next check.
  // The test calculates with this later time.
  expect((Math.floor(repeatSeconds / checkSeconds) + 1) * checkSeconds).toBe(60);
});
