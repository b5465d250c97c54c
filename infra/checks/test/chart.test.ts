import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { chartFolder, chartVariants, readChartFile, readChartValues } from '../src/deploy/chart.js';
import { type Given, seriesOf } from './support/alarm-series.js';
import { readText } from './support/compose.js';
import { evaluate } from './support/promql-evaluator.js';
import { parsePromql } from './support/promql-parser.js';
import { loaders, variablesReadBy } from './support/variables.js';

type Values = Record<string, unknown>;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const defaults = readChartValues();
const schema = JSON.parse(readChartFile('values.schema.json')) as {
  definitions: { settings: { propertyNames: { anyOf: [unknown, { enum: string[] }] } } };
};
const isValid = new Ajv({ allErrors: true, strict: false }).compile(schema);

/** Merges values as helm does: objects are merged, and all other values are replaced. */
function merge(base: Values, over: Values): Values {
  const isObject = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const pairs = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isObject(value) && isObject(below) ? merge(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(pairs) };
}

function faultsOf(over: Values): unknown[] {
  isValid(merge(defaults, over));
  return isValid.errors ?? [];
}

test('the default values of the chart satisfy its schema', () => {
  expect(faultsOf({})).toEqual([]);
});

test.each(chartVariants)("the values of the chart's variant %s satisfy its schema", (variant) => {
  expect(faultsOf(parse(readChartFile(`ci/${variant}-values.yaml`)) as Values)).toEqual([]);
});

test.each<[string, Values]>([
  ['an unknown value', { replicas: 3 }],
  ['an unknown value of a service', { webhookApi: { replicaCount: 3 } }],
  ['a setting that does not exist', { config: { RETENTION_DAY: '30' } }],
  ['a secret among the settings', { config: { DATABASE_URL: 'postgres://tocsin:password@db/tocsin' } }],
  ['a setting that is no text', { config: { RETRY_SCHEDULE: ['5s'] } }],
  ['an own Secret without the keys', { secret: { values: { DATABASE_URL: 'postgres://db/tocsin' } } }],
  ['an authority that is no certificate', { authorities: { pem: 'ca.pem' } }],
  ['a network policy without the database', { networkPolicy: { enabled: true, broker: { to: [{}] } } }],
  ['a tag where a digest belongs', { image: { digest: 'latest' } }],
  ['an interval too long for the alarm NotReady', { monitoring: { podMonitor: { interval: '1m' } } }],
  ['a negative number of workers', { deliveryWorker: { replicas: -1 } }],
  ['a trigger without a threshold', { deliveryWorker: { keda: { triggers: { more: { query: 'up' } } } } }],
])('the schema of the chart rejects %s', (_, over) => {
  expect(faultsOf(over)).not.toEqual([]);
});

const running = { tocsin_database_writable: 1, 'up{job="rabbitmq"}': 1 };
const waiting = {
  'rabbitmq_queue_messages{job="rabbitmq"}': 40_000,
  tocsin_pipeline_lag_seconds: 60,
  tocsin_oldest_delivery_seconds: 60,
  tocsin_deliveries_overdue: 9_000,
};

test.each<[string, Given, number]>([
  ['workers are slow', { ...running, ...waiting }, 4],
  ['Prometheus does not scrape the broker', { tocsin_database_writable: 1, ...waiting }, 4],
  ['workers cannot write to the database', { ...running, ...waiting, tocsin_database_writable: 0 }, 0],
  // The one result is that of the query `messages`, because `waiting` contains the metric of this query. In production
  // the metric is missing while the broker is down, so this query has no result.
  ['the broker is down', { ...running, ...waiting, 'up{job="rabbitmq"}': 0 }, 1],
  ['there are no metrics', {}, 0],
])('the autoscaler adds workers for waiting work, but not because of an outage: %s', (_, given, count) => {
  const { keda } = defaults.deliveryWorker as { keda: { triggers: Record<string, { query: string }> } };
  const data = { series: seriesOf(given, { steps: 1, stepSeconds: 15 }), stepSeconds: 15 };
  const results = Object.values(keda.triggers).flatMap(({ query }) => evaluate(parsePromql(query), data, 0));
  expect(results).toHaveLength(count);
});

test("the chart's schema lists all settings except secrets, HOST, ports, files and OTEL_*", () => {
  const set = ['DATABASE_URL', 'AMQP_URL', 'SECRETS_KEYS', 'GENAI_ENGINE_ADMIN_KEY'];
  const ofContainer = ['HOST', 'PORT', 'METRICS_PORT', 'EGRESS_CA_FILE'];
  const read = new Set(Object.keys(loaders).flatMap((service) => [...variablesReadBy(service)]));
  const settings = [...read].filter((name) => ![...set, ...ofContainer].includes(name));
  const own = settings.filter((name) => !/_FILE$|^OTEL_/.test(name));
  expect([...schema.definitions.settings.propertyNames.anyOf[1].enum].sort()).toEqual(own.sort());
});

test('the chart and the compose file use the same alarms, dashboards and broker definitions', () => {
  const linked = ['alarms.yml', 'dashboards', 'definitions.json'].map((name) =>
    realpathSync(`${chartFolder}/files/${name}`).slice(root.length),
  );
  const files = [
    'infra/prometheus/alarms.yml',
    'infra/grafana/dashboards',
    'infra/rabbitmq/definitions.json',
  ];
  expect(linked).toEqual(files);
  const { rule_files: rules } = parse(readText('infra/prometheus/prometheus.yml')) as {
    rule_files: string[];
  };
  expect(rules.map((file) => file.split('/').at(-1))).toEqual(['alarms.yml']);
});

// Services report the version of `kit`, npm publishes that of `client`, and the release compares the root's with its tag.
test('chart, packages and lockfile have the version of the repository', () => {
  interface Package {
    version: string;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  }
  const readPackage = (path: string) => JSON.parse(readText(path)) as Package;
  const { version } = readPackage('package.json');
  expect(parse(readChartFile('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  const { packages: locked } = JSON.parse(readText('package-lock.json')) as {
    packages: Record<string, Package>;
  };
  const folders = Object.keys(locked).filter((path) => path !== '' && !path.includes('node_modules/'));
  expect(folders).toContain('packages/kit');
  for (const folder of folders) {
    const { version: own, dependencies, devDependencies } = readPackage(`${folder}/package.json`);
    expect([folder, own, locked[folder]?.version]).toEqual([folder, version, version]);
    // npm looks for another version of our packages in its registry.
    const needed = Object.entries({ ...dependencies, ...devDependencies });
    expect(needed.filter(([name, range]) => name.startsWith('@tocsin/') && range !== '*')).toEqual([]);
  }
});
