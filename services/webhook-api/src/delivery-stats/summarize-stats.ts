import type { DeliveryStats } from '@tocsin/contracts';
import { groupBy } from '@tocsin/kit';
import type { StatsRow } from './delivery-stats-reader.js';
import { type StatsRange, stepMs } from './stats-range.js';

type Step = DeliveryStats['steps'][number];

export interface SummarizeOptions extends StatsRange {
  /** True: each webhook has its own steps. False: each step counts all rows together. */
  byWebhook: boolean;
}

/** Adds up the rows of each step. Returns the steps in the order of time. The counts of a step without rows are 0. */
export function summarizeStats(rows: readonly StatsRow[], options: SummarizeOptions): Step[] {
  const { fromMs, toMs, step, byWebhook } = options;
  const rowsByWebhook = byWebhook ? groupBy(rows, ({ webhookId }) => webhookId) : new Map([['', rows]]);
  const webhooks = [...rowsByWebhook.keys()].sort().map((webhookId) => ({
    webhookId,
    rowsByStep: groupBy(rowsByWebhook.get(webhookId)!, ({ atMs }) => atMs),
  }));
  const steps: Step[] = [];
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs(step)) {
    const time = { from: new Date(atMs).toISOString(), to: new Date(atMs + stepMs(step)).toISOString() };
    for (const { webhookId, rowsByStep } of webhooks)
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
  if (total.succeeded === 0) return { ...total, p50_ms: null, p95_ms: null };
  const histogram = histogramOf(rows);
  return { ...total, p50_ms: percentile(histogram, 0.5), p95_ms: percentile(histogram, 0.95) };
}

/**
 * Factor in the entries of a histogram. An entry is 256 × (number of deliveries) + (number of the bucket), and each
 * bucket number is lower than 256.
 */
const bucketLimit = 256;

/** Returns the number of deliveries in each bucket. */
function histogramOf(rows: readonly StatsRow[]): number[] {
  const numbers: number[] = new Array(bucketLimit).fill(0);
  for (const { latencies } of rows)
    for (const entry of latencies) {
      const bucket = entry & (bucketLimit - 1);
      numbers[bucket] = numbers[bucket]! + (entry - bucket) / bucketLimit;
    }
  return numbers;
}

/** Number of buckets for each doubling of the latency, as in the database's function `latency_bucket`. */
const bucketsPerDoubling = 8;

/**
 * Returns a percentile in milliseconds: the latency below which the fraction `part` (0 to 1) of the deliveries lies,
 * interpolated within a bucket. Returns null for a histogram without deliveries.
 */
function percentile(histogram: readonly number[], part: number): number | null {
  const wanted = part * histogram.reduce((sum, number) => sum + number, 0);
  let below = 0;
  for (const [bucket, number] of histogram.entries()) {
    if (number > 0 && below + number >= wanted)
      return Math.round(2 ** ((bucket - 1 + (wanted - below) / number) / bucketsPerDoubling));
    below += number;
  }
  return null;
}
