import type { DeliveryStats } from '@tocsin/client/browser';

export type Step = DeliveryStats['steps'][number];

export interface Summary {
  total: number;
  succeeded: number;
  failed: number;
  skipped: number;
  open: number;
  /** Fraction of the succeeded and failed deliveries that succeeded. Null if no delivery has succeeded or failed. */
  successRate: number | null;
  /** Median of the median latencies of all time steps, in milliseconds. Null without a succeeded delivery. */
  p50Ms: number | null;
  /** Highest of the time steps' 95th percentiles of latency, in milliseconds. Null without a succeeded delivery. */
  p95Ms: number | null;
}

export function summarize(steps: readonly Step[]): Summary {
  const sum = (name: 'succeeded' | 'failed' | 'skipped' | 'open') =>
    steps.reduce((total, step) => total + step[name], 0);
  const [succeeded, failed, skipped, open] = [sum('succeeded'), sum('failed'), sum('skipped'), sum('open')];
  const medians = steps.flatMap(({ p50_ms }) => (p50_ms === null ? [] : [p50_ms])).sort((a, b) => a - b);
  const p95s = steps.flatMap(({ p95_ms }) => (p95_ms === null ? [] : [p95_ms]));
  return {
    total: succeeded + failed + skipped + open,
    succeeded,
    failed,
    skipped,
    open,
    successRate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    p50Ms: medians[Math.floor(medians.length / 2)] ?? null,
    p95Ms: p95s.length === 0 ? null : Math.max(...p95s),
  };
}

/**
 * Formats a fraction as a percentage. A value below 1 is never rounded up to 100 %, so that a single failure stays
 * visible.
 */
export function formatPercent(part: number): string {
  const percent = Math.min(part * 100, part < 1 ? 99.99 : 100);
  return `${percent.toLocaleString('en', { maximumFractionDigits: percent > 99 ? 2 : 1 })} %`;
}
