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
  const webhookIds = byWebhook ? [...new Set(rows.map(({ webhookId }) => webhookId))].sort() : [''];
  const rowsByWebhook = new Map(webhookIds.map((id) => [id, new Map<number, StatsRow[]>()]));
  for (const row of rows) {
    const rowsByStep = rowsByWebhook.get(byWebhook ? row.webhookId : '')!;
    const found = rowsByStep.get(row.atMs);
    if (found === undefined) rowsByStep.set(row.atMs, [row]);
    else found.push(row);
  }
  const steps: Step[] = [];
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs(step)) {
    const time = { from: new Date(atMs).toISOString(), to: new Date(atMs + stepMs(step)).toISOString() };
    for (const [webhookId, rowsByStep] of rowsByWebhook)
      steps.push({
        ...time,
        ...(byWebhook && { webhook_id: webhookId }),
        ...addUp(rowsByStep.get(atMs) ?? []),
      });
  }
  return steps;
}

function addUp(rows: readonly StatsRow[]): Omit<Step, 'from' | 'to' | 'webhook_id'> {
  const total = { succeeded: 0, failed: 0, skipped: 0, open: 0, attempts: 0 };
  for (const row of rows) {
    total.succeeded += row.succeeded;
    total.failed += row.failed;
    total.skipped += row.skipped;
    total.open += row.open;
    total.attempts += row.attempts;
  }
  const histogram = histogramOf(rows);
  return { ...total, p50_ms: percentile(histogram, 0.5), p95_ms: percentile(histogram, 0.95) };
}

/** Latency buckets in their order. */
type Histogram = Pick<StatsRow, 'latencyBuckets' | 'latencyCounts'>;

const noLatencies: Histogram = { latencyBuckets: [], latencyCounts: [] };

/** Most steps have one row, whose buckets are in order already. */
function histogramOf(rows: readonly StatsRow[]): Histogram {
  const withLatencies = rows.filter(({ latencyBuckets }) => latencyBuckets.length > 0);
  if (withLatencies.length < 2) return withLatencies[0] ?? noLatencies;
  const counts = new Map<number, number>();
  for (const { latencyBuckets, latencyCounts } of withLatencies)
    for (const [index, bucket] of latencyBuckets.entries())
      counts.set(bucket, (counts.get(bucket) ?? 0) + latencyCounts[index]!);
  const latencyBuckets = [...counts.keys()].filter((bucket) => counts.get(bucket)! > 0).sort((x, y) => x - y);
  return { latencyBuckets, latencyCounts: latencyBuckets.map((bucket) => counts.get(bucket)!) };
}

/** Buckets of a doubling of the latency, as in the database's function `latency_bucket`. */
const bucketsPerDoubling = 8;

/** The latency below which `part` of the deliveries are, interpolated within its bucket; null without deliveries. */
function percentile({ latencyBuckets, latencyCounts }: Histogram, part: number): number | null {
  const wanted = part * latencyCounts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [index, bucket] of latencyBuckets.entries()) {
    const count = latencyCounts[index]!;
    if (below + count >= wanted)
      return Math.round(2 ** ((bucket - 1 + (wanted - below) / count) / bucketsPerDoubling));
    below += count;
  }
  return null;
}
