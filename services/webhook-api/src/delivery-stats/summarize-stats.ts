import type { DeliveryStats } from '@tocsin/contracts';
import type { StatsRow } from './delivery-stats-reader.js';
import { type StatsRange, stepMs } from './stats-range.js';

type Step = DeliveryStats['steps'][number];

export interface SummarizeOptions extends StatsRange {
  /** True: the steps of each webhook. False: the steps of all rows. */
  byWebhook: boolean;
}

/** Adds rows up to the steps of a range, in the order of time. A step without rows has zeros. */
export function summarizeStats(rows: readonly StatsRow[], options: SummarizeOptions): Step[] {
  const { fromMs, toMs, step, byWebhook } = options;
  const webhookIds = byWebhook ? [...new Set(rows.map(({ webhookId }) => webhookId))].sort() : [undefined];
  const totals = new Map<string, Totals>();
  for (const row of rows) {
    const key = keyOf(row.atMs, byWebhook ? row.webhookId : undefined);
    const before = totals.get(key);
    if (before === undefined) totals.set(key, addTo(newTotals(), row));
    else addTo(before, row);
  }
  const steps: Step[] = [];
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs(step))
    for (const webhookId of webhookIds)
      steps.push({
        from: new Date(atMs).toISOString(),
        to: new Date(atMs + stepMs(step)).toISOString(),
        ...(webhookId !== undefined && { webhook_id: webhookId }),
        ...present(totals.get(keyOf(atMs, webhookId)) ?? noTotals),
      });
  return steps;
}

function keyOf(atMs: number, webhookId: string | undefined): string {
  return `${atMs} ${webhookId ?? ''}`;
}

interface Totals {
  counts: Pick<Step, 'succeeded' | 'failed' | 'skipped' | 'open' | 'attempts'>;
  /** Numbers of deliveries by latency bucket. */
  latencies: Map<number, number>;
}

function newTotals(): Totals {
  return { counts: { succeeded: 0, failed: 0, skipped: 0, open: 0, attempts: 0 }, latencies: new Map() };
}

const noTotals = newTotals();

function addTo(totals: Totals, row: StatsRow): Totals {
  const { counts, latencies } = totals;
  for (const name of Object.keys(counts) as (keyof Totals['counts'])[]) counts[name] += row[name];
  for (const [index, bucket] of row.latencyBuckets.entries())
    latencies.set(bucket, (latencies.get(bucket) ?? 0) + row.latencyCounts[index]!);
  return totals;
}

function present({ counts, latencies }: Totals): Omit<Step, 'from' | 'to' | 'webhook_id'> {
  const buckets = [...latencies].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  return { ...counts, p50_ms: percentile(buckets, 0.5), p95_ms: percentile(buckets, 0.95) };
}

/** Buckets of a doubling of the latency, as in the database's function `latency_bucket`. */
const bucketsPerDoubling = 8;

/** The latency below which `part` of the deliveries are, interpolated within its bucket; null without deliveries. */
function percentile(buckets: readonly [bucket: number, count: number][], part: number): number | null {
  const wanted = part * buckets.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of buckets) {
    if (below + count >= wanted)
      return Math.round(2 ** ((bucket - 1 + (wanted - below) / count) / bucketsPerDoubling));
    below += count;
  }
  return null;
}
