import { findFreePorts, type RunningInbox, startInbox } from '@tocsin/local';
import { until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';
import { parse } from 'yaml';
import { readText } from './support/compose.js';
import { parseExposition, type Series } from './support/exposition.js';
import { groupingsOf, selectionsOf } from './support/promql.js';
import { createEngineKey, post } from './support/requests.js';
import { type Service, type Stack, startStack, stop, testSettings } from './support/stack.js';

interface Alarm {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}
interface Panel {
  title: string;
  type: string;
  targets?: { expr: string; legendFormat: string }[];
}

const alarms = (
  parse(readText('infra/prometheus/alarms.yml')) as { groups: { rules: Alarm[] }[] }
).groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(readText('infra/grafana/dashboards/tocsin.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

// Metrics that other programs export: Prometheus, Alertmanager, the plugin of the broker, and the exporters.
// monitoring.test.ts and broker.test.ts check these metrics with the real programs. Prometheus adds the labels `job`
// and `instance` to every series.
const foreign = new Set([
  'up',
  'ALERTS',
  'rabbitmq_queue_messages',
  'rabbitmq_queue_messages_ready',
  'rabbitmq_queue_messages_unacked',
  'rabbitmq_alarms_memory_used_watermark',
  'rabbitmq_alarms_free_disk_space_watermark',
  'alertmanager_notifications_failed_total',
  'pg_up',
  'pg_stat_activity_count',
  'pg_settings_max_connections',
  'pg_stat_replication_pg_wal_lsn_diff',
  'pg_replication_slots_pg_wal_lsn_diff',
  'pg_replication_slots_active',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'probe_success',
  'probe_ssl_earliest_cert_expiry',
]);
const scraped = ['job', 'instance', 'le'];

let database: TestDatabase;
let inbox: RunningInbox;
let stack: Stack;
let series: Series[];

beforeAll(async () => {
  database = await createTestDatabase();
  const [inboxPort = 0] = await findFreePorts(1);
  inbox = await startInbox({ port: inboxPort });
  const env = testSettings(database.url, (await createTestBroker()).url);
  stack = await startStack(env);
  await deliverOnce();
  await checkOneKey();
  const texts = await Promise.all(Object.values(stack).map(metricsOf));
  series = texts.flatMap(parseExposition);
}, 60_000);
afterAll(async () => {
  await stop(Object.values(stack));
  await inbox.close();
  await database.drop();
});

async function deliverOnce(): Promise<void> {
  const webhook = await post(stack.api, 'webhooks', {
    name: 'w',
    url: `${inbox.url}/metrics`,
    body: '{"a": 1}',
  });
  const model_id = '6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11';
  const rule = { name: 'r', model_id, threshold: 0.4, bound: 'upper_bound', enabled: true };
  const { id } = await post(stack.api, 'alert_rules', { ...rule, notification_webhook_ids: [webhook.id] });
  const alert = { alert_rule_id: id, alert_id: model_id, model_id, model_name: 'm', metric_value: 0.5 };
  await post(stack.api, 'alerts', alert);
  await until('the worker has counted a success', async () => {
    const text = await metricsOf(stack.worker);
    return (
      /tocsin_deliveries_total\{outcome="succeeded"[^}]*\} 1/.test(text) && text.includes('reason="circuit"')
    );
  });
  await post(stack.api, 'alerts', alert);
  await until('the worker has taken the repeated alert', async () => {
    const text = await metricsOf(stack.worker);
    return /tocsin_batch_size_sum\{[^}]*stage="fan_out"\} 2/.test(text);
  });
}

async function metricsOf({ metricsUrl }: Service): Promise<string> {
  return (await fetch(metricsUrl)).text();
}

async function checkOneKey(): Promise<void> {
  const verify = await createEngineKey(stack.engine);
  for (let use = 0; use < 2; use += 1) expect(await verify()).toBe(204);
}

function seriesOf(metric: string): Series[] {
  return series.filter(({ name }) => name === metric);
}

function expectExported(expression: string): void {
  const selections = selectionsOf(expression);
  expect(selections.length).toBeGreaterThan(0);
  for (const { metric, matchers } of selections) {
    if (foreign.has(metric)) continue;
    const found = seriesOf(metric);
    expect([metric, found.length > 0]).toEqual([metric, true]);
    const labels = new Set([...scraped, ...found.flatMap((one) => Object.keys(one.labels))]);
    for (const label of [...groupingsOf(expression), ...matchers.map((matcher) => matcher.label)]) {
      expect([metric, label, labels.has(label)]).toEqual([metric, label, true]);
    }
    for (const { label, operator, value } of matchers) {
      if (operator !== '=' || scraped.includes(label)) continue;
      const has = found.some((one) => one.labels[label] === value);
      expect([metric, label, value, has]).toEqual([metric, label, value, true]);
    }
  }
}

test.each(alarms.map((alarm) => [alarm.alert, alarm] as const))(
  'the alarm %s queries only exported metrics and has a documented runbook',
  (name, { expr, labels, annotations }) => {
    if (name !== 'Watchdog') expectExported(expr);
    expect(name === 'Watchdog' ? ['none'] : ['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^[A-Z{0-9].*\.$/);
    expect(annotations.runbook).toBe(`docs/operate.md#${name.toLowerCase()}`);
    expect(readText('docs/operate.md')).toMatch(new RegExp(`^#+ ${name}$`, 'm'));
  },
);

test.each(queries.map((query) => [query.title, query.expr, query.legendFormat]))(
  'the dashboard panel “%s” queries only exported metrics',
  (_, expr, legend) => {
    const asked = expr.replaceAll('$__rate_interval', '1m');
    expectExported(asked);
    // The legend of a panel can contain only labels that remain after the aggregation in its expression.
    const kept = [...groupingsOf(asked), ...(groupingsOf(asked).length === 0 ? scraped : [])];
    for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(kept).toContain(label);
  },
);

test('the autoscaler queries only exported metrics', () => {
  const { deliveryWorker } = parse(readText('infra/helm/tocsin/values.yaml')) as {
    deliveryWorker: { keda: { triggers: Record<string, { query: string }> } };
  };
  const queries = Object.values(deliveryWorker.keda.triggers).map(({ query }) => query);
  expect(queries.length).toBeGreaterThan(2);
  for (const query of queries) expectExported(query);
});

test('each documented metric is exported', () => {
  const roles = ['`tocsin_admin`', '`tocsin_engine_admin`'];
  const words = readText('docs/operate.md').match(/`tocsin_[a-z_]+`/g) ?? [];
  const named = words.filter((word) => !roles.includes(word));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => seriesOf(name.slice(1, -1)).length === 0)).toEqual([]);
});

test('each metric named tocsin_* or http_* is used on the dashboard or in an alarm', () => {
  const asked = [...alarms.map(({ expr }) => expr), ...queries.map(({ expr }) => expr)].join('\n');
  const ours = series.map(({ name }) => name).filter((name) => /^(tocsin|http)_/.test(name));
  const families = new Set(ours.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect(families.size).toBeGreaterThan(20);
  expect([...families].filter((family) => !asked.includes(family))).toEqual([]);
});

test('no label of a metric contains a webhook, workspace, key, URL or caller', () => {
  const ours = series.filter(({ name }) => /^(tocsin|http)_/.test(name));
  const names = new Set(ours.flatMap(({ labels }) => Object.keys(labels)));
  expect([...names].sort()).toEqual([
    'error_code',
    'le',
    'limit',
    'maintenance',
    'method',
    'outcome',
    'pool',
    'reason',
    'result',
    'route',
    'service',
    'stage',
    'state',
    'status',
    'version',
  ]);
  for (const { labels } of ours) {
    for (const value of Object.values(labels)) expect(value).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|127\.0/);
  }
});

test('the metrics count a repeated alert and its delivery once, and two checks of an engine key', () => {
  const total = (name: string, labels: Record<string, string>) =>
    seriesOf(name)
      .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  expect(total('tocsin_alerts_total', { outcome: 'dispatched' })).toBe(1);
  expect(total('tocsin_attempts_total', { outcome: 'succeeded' })).toBe(1);
  for (const name of [
    'tocsin_attempt_seconds_count',
    'tocsin_fired_to_first_attempt_seconds_count',
    'tocsin_fired_to_success_seconds_count',
    'tocsin_fan_out_webhooks_sum',
    'tocsin_template_seconds_count',
  ]) {
    expect([name, total(name, {})]).toEqual([name, 1]);
  }
  // The alert was published twice. The batch size counts both messages. The other metrics, for example
  // `tocsin_alerts_total`, count the alert only once.
  expect(total('tocsin_batch_size_sum', { stage: 'fan_out' })).toBe(2);
  // The delivery was claimed at write, so the worker needed no batch of claims.
  expect(total('tocsin_batch_size_sum', { stage: 'claim' })).toBe(0);
  expect(total('tocsin_batch_size_sum', { stage: 'record' })).toBe(1);
  expect(total('tocsin_key_checks_total', { result: 'looked_up' })).toBe(1);
  expect(total('tocsin_key_checks_total', { result: 'cached' })).toBe(1);
  expect(total('tocsin_bcrypt_seconds_count', {})).toBeGreaterThanOrEqual(2);
  expect(total('tocsin_token_checks_total', { result: 'valid' })).toBeGreaterThanOrEqual(1);
  const created = { method: 'POST', route: '/api/v1/workspaces/{workspace_id}/webhooks', status: '201' };
  expect(total('http_request_duration_seconds_count', created)).toBe(1);
});

test('the metrics include the connection pools and the last success of maintenance jobs', () => {
  const pools = seriesOf('tocsin_database_connections_max').map(({ labels, value }) => [
    labels.service,
    labels.pool,
    value,
  ]);
  expect(pools).toEqual([
    ['webhook-api', 'main', 10],
    ['engine-auth', 'main', 10],
    ['delivery-worker', 'main', 12],
    ['delivery-worker', 'lease', 3],
  ]);
  const open = seriesOf('tocsin_database_connections').filter(({ labels }) => labels.pool === 'main');
  const ofWorker = open.filter(({ labels }) => labels.service === 'delivery-worker');
  expect(ofWorker.map(({ labels }) => labels.state)).toEqual(['in_use', 'idle']);
  expect(ofWorker.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
  const succeeded = seriesOf('tocsin_maintenance_last_success_timestamp_seconds');
  expect(succeeded.map(({ labels }) => labels.maintenance)).toContain('partitions');
  for (const { value } of succeeded) expect(Date.now() / 1_000 - value).toBeLessThan(120);
});
