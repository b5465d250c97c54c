import type { SampledSeries } from './promql-evaluator.js';

/**
 * Series by name and labels. A number is a constant gauge. `0.5/s` is a counter that increases by 0.5 per second. `60s`
 * is a gauge that changes every 60 seconds.
 */
export type Given = Record<string, number | `${number}/s` | `${number}s`>;

export function valueAt(seconds: number, value: Given[string]): number {
  if (typeof value === 'number') return value;
  const figure = Number.parseFloat(value);
  return value.endsWith('/s') ? figure * seconds : Math.floor(seconds / figure);
}

/** Returns the series with one value for each step, in the format of `promql-evaluator.ts`. */
export function seriesOf(
  given: Given,
  { steps, stepSeconds }: { steps: number; stepSeconds: number },
): SampledSeries[] {
  return Object.entries(given).map(([text, value]) => {
    const [name = '', labels = ''] = text.split(/[{}]/);
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, one]) => [label, one]);
    const values = Array.from({ length: steps }, (_, at) => valueAt(at * stepSeconds, value));
    return { name, labels: Object.fromEntries(pairs), values };
  });
}

export const up = (job: string, value: number): Given => ({ [`up{job="${job}", instance="a:9090"}`]: value });
export const allUp: Given = { ...up('webhook-api', 1), ...up('engine-auth', 1), ...up('delivery-worker', 1) };
export const startedEach = (time: `${number}s`, job = 'engine-auth'): Given => ({
  [`process_start_time_seconds{job="${job}", instance="a:9090"}`]: time,
});
export const requests = (status: string, perSecond: number, route = '/api/v1/whoami'): Given => ({
  [`http_request_duration_seconds_count{job="webhook-api", route="${route}", status="${status}"}`]: `${perSecond}/s`,
});
export const failed = (errorCode: string, perSecond: number): Given => ({
  [`tocsin_deliveries_total{job="delivery-worker", outcome="failed", error_code="${errorCode}"}`]: `${perSecond}/s`,
});
export const succeeded = (perSecond: number): Given => ({
  'tocsin_deliveries_total{job="delivery-worker", outcome="succeeded", error_code=""}': `${perSecond}/s`,
});
export const waits = (perSecond: number, within30s: number): Given => ({
  'tocsin_fired_to_first_attempt_seconds_bucket{job="delivery-worker", le="30"}': `${within30s}/s`,
  'tocsin_fired_to_first_attempt_seconds_bucket{job="delivery-worker", le="120"}': `${perSecond}/s`,
  'tocsin_fired_to_first_attempt_seconds_bucket{job="delivery-worker", le="+Inf"}': `${perSecond}/s`,
  'tocsin_fired_to_first_attempt_seconds_count{job="delivery-worker"}': `${perSecond}/s`,
});
export const durations = (route: string, perSecond: number, withinSecond: number): Given => ({
  ...requests('200', perSecond, route),
  [`http_request_duration_seconds_bucket{job="webhook-api", route="${route}", le="1"}`]: `${withinSecond}/s`,
  [`http_request_duration_seconds_bucket{job="webhook-api", route="${route}", le="2.5"}`]: `${perSecond}/s`,
  [`http_request_duration_seconds_bucket{job="webhook-api", route="${route}", le="+Inf"}`]: `${perSecond}/s`,
});

export const connections = (count: number): Given => ({
  'pg_stat_activity_count{job="postgres", instance="a:9187", state="idle"}': count - 7,
  'pg_stat_activity_count{job="postgres", instance="a:9187", state="active"}': 7,
  'pg_settings_max_connections{job="postgres", instance="a:9187"}': 120,
});
export const freeSpace = (mountpoint: string, percent: number): Given => ({
  [`node_filesystem_avail_bytes{mountpoint="${mountpoint}"}`]: percent * 1e9,
  [`node_filesystem_size_bytes{mountpoint="${mountpoint}"}`]: 100e9,
});
export const databaseWritable = (value: number): Given => ({
  'tocsin_database_writable{job="delivery-worker", instance="a:9090"}': value,
});
export const connectionsWaiting = (count: number): Given => ({
  'tocsin_database_connections_waiting{job="webhook-api", pool="main"}': count,
});
export const certificate = (expiresAtSeconds: number): Given => ({
  'probe_success{job="certificates", instance="tocsin.example:443"}': 1,
  'probe_ssl_earliest_cert_expiry{job="certificates", instance="tocsin.example:443"}': expiresAtSeconds,
});
/** The two alarms of a broker node about its memory and its disk; 1 means that the node blocks publishers. */
export const watermarks = (memory: number, disk: number): Given => ({
  'rabbitmq_alarms_memory_used_watermark{job="rabbitmq"}': memory,
  'rabbitmq_alarms_free_disk_space_watermark{job="rabbitmq"}': disk,
});
