import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { readText } from './support/compose.js';
import { evaluate, keyOf, type SampledSeries } from './support/promql-evaluator.js';
import { parsePromql } from './support/promql-parser.js';
import { testWith } from './support/test-with.js';

interface Alarm {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
}

const file = fileURLToPath(new URL('../../prometheus/alarms.yml', import.meta.url));
const { groups } = parse(readText('infra/prometheus/alarms.yml')) as { groups: { rules: Alarm[] }[] };
const alarms = groups.flatMap(({ rules }) => rules);

const stepSeconds = 15;
const steps = 150;
/** Evaluation time: after 35 minutes, which is longer than the window plus `for` of every alarm. */
const atSeconds = (steps - 10) * stepSeconds;

/**
 * Series by name and labels. A number is a constant gauge. `0.5/s` is a counter that increases by 0.5 per second. `60s`
 * is a gauge that changes every 60 seconds.
 */
type Given = Record<string, number | `${number}/s` | `${number}s`>;
const up = (job: string, value: number): Given => ({ [`up{job="${job}", instance="a:9090"}`]: value });
const allUp: Given = { ...up('webhook-api', 1), ...up('engine-auth', 1), ...up('delivery-worker', 1) };
const startedEach = (time: `${number}s`, job = 'engine-auth'): Given => ({
  [`process_start_time_seconds{job="${job}", instance="a:9090"}`]: time,
});
const requests = (status: string, perSecond: number, route = '/api/v1/whoami'): Given => ({
  [`http_request_duration_seconds_count{job="webhook-api", route="${route}", status="${status}"}`]: `${perSecond}/s`,
});
const failed = (errorCode: string, perSecond: number): Given => ({
  [`tocsin_deliveries_total{job="delivery-worker", outcome="failed", error_code="${errorCode}"}`]: `${perSecond}/s`,
});
const succeeded = (perSecond: number): Given => ({
  'tocsin_deliveries_total{job="delivery-worker", outcome="succeeded", error_code=""}': `${perSecond}/s`,
});
const waits = (perSecond: number, within30s: number): Given => ({
  'tocsin_fired_to_first_attempt_seconds_bucket{job="delivery-worker", le="30"}': `${within30s}/s`,
  'tocsin_fired_to_first_attempt_seconds_bucket{job="delivery-worker", le="120"}': `${perSecond}/s`,
  'tocsin_fired_to_first_attempt_seconds_bucket{job="delivery-worker", le="+Inf"}': `${perSecond}/s`,
  'tocsin_fired_to_first_attempt_seconds_count{job="delivery-worker"}': `${perSecond}/s`,
});
const durations = (route: string, perSecond: number, withinSecond: number): Given => ({
  ...requests('200', perSecond, route),
  [`http_request_duration_seconds_bucket{job="webhook-api", route="${route}", le="1"}`]: `${withinSecond}/s`,
  [`http_request_duration_seconds_bucket{job="webhook-api", route="${route}", le="2.5"}`]: `${perSecond}/s`,
  [`http_request_duration_seconds_bucket{job="webhook-api", route="${route}", le="+Inf"}`]: `${perSecond}/s`,
});

const connections = (count: number): Given => ({
  'pg_stat_activity_count{instance="a:9187", state="idle"}': count - 7,
  'pg_stat_activity_count{instance="a:9187", state="active"}': 7,
  'pg_settings_max_connections{instance="a:9187"}': 120,
});
const freeSpace = (mountpoint: string, percent: number): Given => ({
  [`node_filesystem_avail_bytes{mountpoint="${mountpoint}"}`]: percent * 1e9,
  [`node_filesystem_size_bytes{mountpoint="${mountpoint}"}`]: 100e9,
});
const certificate = (expiresAtSeconds: number): Given => ({
  'probe_success{job="certificates", instance="tocsin.example:443"}': 1,
  'probe_ssl_earliest_cert_expiry{job="certificates", instance="tocsin.example:443"}': expiresAtSeconds,
});

/** For each alarm: metrics that fire it, with the resulting labels, and similar metrics that must not fire it. */
const cases: Record<string, { fires: [Given, Record<string, string>][]; silent: Given[] }> = {
  // Watchdog is the only alarm that always fires.
  Watchdog: { fires: [[{}, {}]], silent: [] },
  AlarmsNotSent: {
    fires: [
      [
        {
          ...up('alertmanager', 1),
          'alertmanager_notifications_failed_total{integration="slack"}': '0.01/s',
        },
        { integration: 'slack' },
      ],
      [up('alertmanager', 0), {}],
      [allUp, {}],
    ],
    silent: [{ ...up('alertmanager', 1), 'alertmanager_notifications_failed_total{integration="slack"}': 3 }],
  },
  ServiceDown: {
    fires: [
      [
        { ...allUp, ...up('engine-auth', 0) },
        { job: 'engine-auth', instance: 'a:9090' },
      ],
      [{ ...up('engine-auth', 1), ...up('delivery-worker', 1) }, { job: 'webhook-api' }],
    ],
    silent: [{ ...allUp, ...up('rabbitmq', 0) }],
  },
  ServiceRestarts: {
    fires: [
      [
        { ...allUp, ...startedEach('60s') },
        { job: 'engine-auth', instance: 'a:9090' },
      ],
    ],
    silent: [{ ...allUp, ...startedEach('450s') }, startedEach('60s', 'rabbitmq')],
  },
  NoDeliveryWorker: {
    fires: [
      [{ ...allUp, ...up('delivery-worker', 0) }, {}],
      [{ ...up('webhook-api', 1), ...up('engine-auth', 1) }, {}],
    ],
    silent: [{ ...allUp, 'up{job="delivery-worker", instance="b:9090"}': 0 }],
  },
  NotReady: {
    fires: [[requests('503', 0.1, '/readyz'), { job: 'webhook-api' }]],
    silent: [requests('200', 0.1, '/readyz'), requests('503', 0.1)],
  },
  BrokerDown: {
    fires: [
      [up('rabbitmq', 0), { job: 'rabbitmq', instance: 'a:9090' }],
      [allUp, { job: 'rabbitmq' }],
    ],
    silent: [{ ...allUp, ...up('webhook-api', 0), ...up('rabbitmq', 1) }],
  },
  BrokerBlocked: {
    fires: [
      [{ rabbitmq_alarms_memory_used_watermark: 1, rabbitmq_alarms_free_disk_space_watermark: 0 }, {}],
      [{ rabbitmq_alarms_memory_used_watermark: 0, rabbitmq_alarms_free_disk_space_watermark: 1 }, {}],
    ],
    silent: [{ rabbitmq_alarms_memory_used_watermark: 0, rabbitmq_alarms_free_disk_space_watermark: 0 }],
  },
  PostgresDown: {
    fires: [
      [{ 'pg_up{job="postgres", instance="a:9187"}': 0 }, { job: 'postgres', instance: 'a:9187' }],
      [allUp, { job: 'postgres' }],
    ],
    silent: [{ 'pg_up{job="postgres", instance="a:9187"}': 1 }],
  },
  PostgresConnections: {
    fires: [[connections(97), { instance: 'a:9187' }]],
    silent: [connections(95)],
  },
  ReplicationLag: {
    fires: [
      [
        { 'pg_stat_replication_pg_wal_lsn_diff{application_name="b"}': 68_000_000 },
        { application_name: 'b' },
      ],
      [{ 'pg_replication_slots_pg_wal_lsn_diff{slot_name="b"}': 1_080_000_000 }, { slot_name: 'b' }],
    ],
    silent: [
      {
        'pg_stat_replication_pg_wal_lsn_diff{application_name="b"}': 67_000_000,
        'pg_replication_slots_pg_wal_lsn_diff{slot_name="b"}': 1_070_000_000,
      },
    ],
  },
  DiskSpaceLow: {
    fires: [[freeSpace('/volumes/postgres', 14), { mountpoint: '/volumes/postgres' }]],
    silent: [freeSpace('/volumes/postgres', 16), freeSpace('/boot', 1)],
  },
  CertificateExpires: {
    fires: [
      [certificate(1_100_000), { job: 'certificates', instance: 'tocsin.example:443' }],
      [
        { 'probe_success{job="certificates", instance="tocsin.example:443"}': 0 },
        { job: 'certificates', instance: 'tocsin.example:443' },
      ],
    ],
    silent: [certificate(1_400_000)],
  },
  DatabaseNotWritable: {
    fires: [
      [
        { 'tocsin_database_writable{job="delivery-worker", instance="a:9090"}': 0 },
        { job: 'delivery-worker', instance: 'a:9090' },
      ],
    ],
    silent: [{ 'tocsin_database_writable{job="delivery-worker", instance="a:9090"}': 1 }],
  },
  PipelineLag: {
    fires: [
      [
        { 'tocsin_pipeline_lag_seconds{instance="a"}': 4, 'tocsin_pipeline_lag_seconds{instance="b"}': 121 },
        {},
      ],
    ],
    silent: [{ tocsin_pipeline_lag_seconds: 119 }],
  },
  FirstAttemptOverdue: {
    fires: [[{ tocsin_oldest_delivery_seconds: 121 }, {}]],
    silent: [{ tocsin_oldest_delivery_seconds: 119 }, { tocsin_oldest_due_seconds: 121 }],
  },
  Undecryptable: {
    fires: [
      [{ 'tocsin_deferrals_total{reason="undecryptable"}': '0.01/s' }, {}],
      [{ 'tocsin_keys_mismatch{instance="a"}': 0, 'tocsin_keys_mismatch{instance="b"}': 1 }, {}],
    ],
    silent: [
      { 'tocsin_deferrals_total{reason="undecryptable"}': 7, tocsin_keys_mismatch: 0 },
      { 'tocsin_deferrals_total{reason="no_slot"}': '9/s' },
    ],
  },
  DeliveriesOverdue: {
    fires: [[{ tocsin_oldest_due_seconds: 121 }, {}]],
    silent: [{ tocsin_oldest_due_seconds: 60 }, { tocsin_oldest_due_seconds: Number.NaN }],
  },
  FirstAttemptSlow: { fires: [[waits(1, 0.9), {}]], silent: [waits(1, 0.99), waits(0.04, 0)] },
  DeliveriesFailing: {
    fires: [[{ ...failed('http_status', 0.3), ...succeeded(0.7) }, {}]],
    silent: [{ ...failed('http_status', 0.1), ...succeeded(0.9) }, failed('http_status', 0.01)],
  },
  DeliveryCrashesWorker: {
    fires: [
      [
        failed('crashes_worker', 0.01),
        { job: 'delivery-worker', outcome: 'failed', error_code: 'crashes_worker' },
      ],
    ],
    silent: [{ ...failed('crashes_worker', 0), ...failed('timeout', 1) }],
  },
  InternalErrors: {
    fires: [[{ 'tocsin_attempts_total{outcome="retry", error_code="internal_error"}': '0.02/s' }, {}]],
    silent: [{ 'tocsin_attempts_total{outcome="retry", error_code="timeout"}': '5/s' }],
  },
  LeasesExpired: {
    fires: [[{ tocsin_leases_expired_total: '2/s' }, {}]],
    silent: [{ tocsin_leases_expired_total: '0.5/s' }],
  },
  MessagesFailing: {
    fires: [[{ tocsin_messages_failed_total: '0.2/s' }, {}]],
    silent: [{ tocsin_messages_failed_total: 7 }],
  },
  DeadLetters: {
    fires: [
      [
        { 'tocsin_dead_letters_total{reason="malformed_message"}': '0.01/s' },
        { reason: 'malformed_message' },
      ],
    ],
    silent: [{ 'tocsin_dead_letters_total{reason="malformed_message"}': 5 }],
  },
  ArchiveLate: {
    fires: [
      [
        {
          'tocsin_archive_oldest_seconds{instance="a"}': 180_000,
          'tocsin_archive_oldest_seconds{instance="b"}': 0,
        },
        {},
      ],
    ],
    silent: [{ 'tocsin_archive_oldest_seconds{instance="a"}': 90_000 }],
  },
  MaintenanceLate: {
    fires: [
      [
        { 'tocsin_maintenance_last_success_timestamp_seconds{maintenance="partitions"}': -9_000 },
        { maintenance: 'partitions' },
      ],
    ],
    silent: [
      {
        'tocsin_maintenance_last_success_timestamp_seconds{maintenance="jobs", instance="a"}': -9_000,
        'tocsin_maintenance_last_success_timestamp_seconds{maintenance="jobs", instance="b"}': -5_000,
      },
    ],
  },
  DatabasePoolExhausted: {
    fires: [
      [
        { 'tocsin_database_connections_waiting{job="webhook-api", pool="main"}': 11 },
        { job: 'webhook-api', pool: 'main' },
      ],
    ],
    silent: [{ 'tocsin_database_connections_waiting{job="webhook-api", pool="main"}': 9 }],
  },
  OverQuota: {
    fires: [
      [{ 'tocsin_over_quota_total{limit="workspace"}': '0.01/s' }, { limit: 'workspace' }],
      [{ 'tocsin_over_quota_total{limit="webhook"}': '9/s' }, { limit: 'webhook' }],
    ],
    silent: [{ 'tocsin_over_quota_total{limit="webhook"}': 40 }],
  },
  ManyCircuitsOpen: {
    fires: [[{ 'tocsin_webhooks_paused{reason="circuit"}': 21 }, {}]],
    silent: [
      { 'tocsin_webhooks_paused{reason="circuit"}': 3, 'tocsin_webhooks_paused{reason="retry_after"}': 99 },
    ],
  },
  SlotsExhausted: {
    fires: [
      [{ 'tocsin_deferrals_total{reason="no_slot"}': '6/s' }, {}],
      [{ 'tocsin_deferrals_total{reason="no_slot"}': '0/s', tocsin_in_flight: 298, tocsin_slots: 400 }, {}],
    ],
    silent: [
      { 'tocsin_deferrals_total{reason="paused"}': '60/s' },
      { tocsin_in_flight: 280, tocsin_slots: 400 },
    ],
  },
  ApiErrors: {
    fires: [[{ ...requests('200', 9), ...requests('503', 1) }, { job: 'webhook-api' }]],
    silent: [
      { ...requests('200', 99), ...requests('503', 1) },
      { ...requests('401', 9), ...requests('404', 9) },
      { ...requests('200', 9), ...requests('503', 9, '/readyz') },
    ],
  },
  ApiSlow: {
    fires: [[durations('/api/v1/whoami', 1, 0.9), { job: 'webhook-api' }]],
    silent: [durations('/api/v1/whoami', 1, 0.99), durations('/api/v1/webhooks/{id}/test', 1, 0)],
  },
  TokenChecksUnavailable: {
    fires: [
      [
        { 'tocsin_token_checks_total{job="webhook-api", result="unavailable"}': '1/s' },
        { job: 'webhook-api' },
      ],
    ],
    silent: [{ 'tocsin_token_checks_total{job="webhook-api", result="invalid"}': '9/s' }],
  },
  KeyGuessing: { fires: [[{ tocsin_bcrypt_waiting: 51 }, {}]], silent: [{ tocsin_bcrypt_waiting: 3 }] },
  BrokerBacklog: {
    fires: [[{ rabbitmq_queue_messages: 50_001 }, {}]],
    silent: [{ rabbitmq_queue_messages: 900 }],
  },
};

function sampled(given: Given): SampledSeries[] {
  return Object.entries(given).map(([text, value]) => {
    const [name = '', labels = ''] = text.split(/[{}]/);
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, one]) => [label, one]);
    const values = Array.from({ length: steps }, (_, at) => valueAt(at * stepSeconds, value));
    return { name, labels: Object.fromEntries(pairs), values };
  });
}

function valueAt(seconds: number, value: Given[string]): number {
  if (typeof value === 'number') return value;
  const figure = Number.parseFloat(value);
  return value.endsWith('/s') ? figure * seconds : Math.floor(seconds / figure);
}

/** Converts a duration of Prometheus with one unit, for example `90s` or `5m`, to seconds. */
function secondsOf(duration: string): number {
  const [, figure, unit] = /^(\d+)([sm])$/.exec(duration) ?? [];
  if (figure === undefined) throw new Error(`${duration} is no duration in s or m.`);
  return Number(figure) * (unit === 'm' ? 60 : 1);
}

/** Returns the label sets for which the expression has been true during the `for` time of the alarm. */
function firing(alarm: Alarm, given: Given): Record<string, string>[] {
  const data = { series: sampled(given), stepSeconds };
  const expression = parsePromql(alarm.expr);
  const since = new Map<string, number>();
  for (let at = 0; at <= atSeconds; at += stepSeconds) {
    const active = new Set(evaluate(expression, data, at).map(({ labels }) => keyOf(labels)));
    for (const key of since.keys()) if (!active.has(key)) since.delete(key);
    for (const key of active) if (!since.has(key)) since.set(key, at);
  }
  const wanted = secondsOf(alarm.for ?? '0s');
  return [...since].flatMap(([key, at]) =>
    atSeconds - at >= wanted ? [Object.fromEntries(JSON.parse(key) as [string, string][])] : [],
  );
}

test.each(alarms.map((alarm) => [alarm.alert, alarm] as const))(
  'the alarm %s fires for its fault and not for similar metrics',
  (name, alarm) => {
    const { fires = [], silent = [] } = cases[name] ?? {};
    expect([fires.length > 0, silent.length > 0]).toEqual([true, name !== 'Watchdog']);
    for (const [given, labels] of fires) expect([given, firing(alarm, given)]).toEqual([given, [labels]]);
    for (const given of silent) expect([given, firing(alarm, given)]).toEqual([given, []]);
  },
);

test('PipelineLag fires within three minutes of the last marker message if no worker runs', () => {
  const alarm = alarms.find(({ alert }) => alert === 'PipelineLag') as Alarm;
  const growing = { series: sampled({ tocsin_pipeline_lag_seconds: '1/s' }), stepSeconds };
  const first = Array.from({ length: steps }, (_, step) => step * stepSeconds).find(
    (at) => evaluate(parsePromql(alarm.expr), growing, at).length > 0,
  )!;
  expect(first + secondsOf(alarm.for ?? '0s')).toBeLessThanOrEqual(180);
});

test('an alarm fires only after its `for` time', () => {
  const slow = alarms.find(({ alert }) => alert === 'DeliveriesOverdue') as Alarm;
  expect(firing({ ...slow, for: '36m' }, { tocsin_oldest_due_seconds: 121 })).toEqual([]);
});

// promtool is part of Prometheus, not an npm package, so this test runs only where it is installed.
const promtool = 'promtool';

testWith([promtool, '--version'], 'promtool and our evaluator of PromQL give equal results', () => {
  const one = (alarm: Alarm, given: Given, labels?: Record<string, string>) => ({
    interval: `${stepSeconds}s`,
    input_series: sampled(given).map(({ name, labels, values }) => ({
      series: `${name}${seriesText(labels)}`,
      values: values.join(' '),
    })),
    promql_expr_test: [
      {
        expr: `count by (${Object.keys(labels ?? {}).join(', ')}) (ALERTS{alertname="${alarm.alert}", alertstate="firing"})`,
        eval_time: `${atSeconds}s`,
        exp_samples: labels ? [{ labels: seriesText(labels), value: 1 }] : [],
      },
    ],
  });
  const tests = alarms.flatMap((alarm) => {
    const { fires = [], silent = [] } = cases[alarm.alert] ?? {};
    return [
      ...fires.map(([given, labels]) => one(alarm, given, labels)),
      ...silent.map((given) => one(alarm, given)),
    ];
  });
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-alarms-'));
  const path = join(folder, 'tests.yml');
  writeFileSync(path, stringify({ rule_files: [file], evaluation_interval: `${stepSeconds}s`, tests }));
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', path], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

function seriesText(labels: Record<string, string>): string {
  return `{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(', ')}}`;
}
