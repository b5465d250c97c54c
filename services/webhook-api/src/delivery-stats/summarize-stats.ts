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
  const histogram: Histogram = new Float64Array(buckets);
  const steps: Step[] = [];
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs(step)) {
    const from = new Date(atMs).toISOString();
    const to = new Date(atMs + stepMs(step)).toISOString();
    for (const [webhookId, rowsByStep] of rowsByWebhook) {
      const entry = addUp({ from, to }, rowsByStep.get(atMs) ?? none, histogram);
      if (byWebhook) entry.webhook_id = webhookId;
      steps.push(entry);
    }
  }
  return steps;
}

const none: readonly StatsRow[] = [];

/** The entry is one literal, because there can be 30,000 and spreading objects takes longer than all the rest. */
function addUp(
  { from, to }: Pick<Step, 'from' | 'to'>,
  rows: readonly StatsRow[],
  histogram: Histogram,
): Step {
  const total: Step = {
    from,
    to,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    open: 0,
    attempts: 0,
    p50_ms: null,
    p95_ms: null,
  };
  for (const row of rows) {
    total.succeeded += row.succeeded;
    total.failed += row.failed;
    total.skipped += row.skipped;
    total.open += row.open;
    total.attempts += row.attempts;
  }
  if (total.succeeded === 0) return total;
  fill(histogram, rows);
  total.p50_ms = percentile(histogram, 0.5);
  total.p95_ms = percentile(histogram, 0.95);
  return total;
}

/** Number of deliveries by bucket. One array serves all steps: thousands of new ones would take longer than the counting. */
type Histogram = Float64Array;

/** An entry of stored latencies is 256 × number + bucket. */
const buckets = 256;

function fill(histogram: Histogram, rows: readonly StatsRow[]): void {
  histogram.fill(0);
  for (const { latencies } of rows)
    for (const entry of latencies) {
      const bucket = entry & (buckets - 1);
      histogram[bucket]! += (entry - bucket) / buckets;
    }
}

/** Buckets of a doubling of the latency, as in the database's function `latency_bucket`. */
const bucketsPerDoubling = 8;

/** The latency below which `part` of the deliveries are, interpolated within its bucket; null without deliveries. */
function percentile(histogram: Histogram, part: number): number | null {
  let wanted = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) wanted += part * histogram[bucket]!;
  let below = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const number = histogram[bucket]!;
    if (number > 0 && below + number >= wanted)
      return Math.round(2 ** ((bucket - 1 + (wanted - below) / number) / bucketsPerDoubling));
    below += number;
  }
  return null;
}
