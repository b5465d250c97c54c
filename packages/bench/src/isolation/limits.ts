import { type Percentiles, spreadOf } from '../measure/statistics.js';

/** Latencies of healthy deliveries (those of the workspace that must not be delayed) in one run, in milliseconds. */
export interface IsolationRun {
  alone: Percentiles;
  withNeighbours: Percentiles;
}

/** Limit for the latency of every healthy delivery, in milliseconds. */
const maxHealthyMs = 1_000;
/**
 * Limit for the latency of single alerts of one workspace while another workspace publishes many alerts or has a
 * backlog, in milliseconds.
 */
export const maxSingleAlertMs = 2_000;
/** Limit for the delay of the retries of one workspace during a flood of another workspace, in milliseconds. */
export const maxRetryDelayMs = 1_000;
/**
 * Minimum throughput of one workspace after the flood of another workspace has been written, as a fraction of its
 * throughput before the flood.
 */
export const minThroughputShare = 2 / 3;
/**
 * Limits while many webhooks of many workspaces have due deliveries. `retryDelayMs` is the maximum delay of the retries
 * of another workspace. `deliveriesPerSecond` is the minimum rate at which workers attempt the deliveries of the many
 * workspaces. `insert` applies if the deliveries are inserted into the database. `publish` applies if alerts are
 * published. The limits of `publish` are wider, because writing a burst of alerts occupies both cores of the measuring
 * machine for seconds.
 */
export const manyWebhooksLimits = {
  insert: { retryDelayMs: 1_000, deliveriesPerSecond: 2_000 },
  publish: { retryDelayMs: 3_000, deliveriesPerSecond: 1_000 },
};
/**
 * Limit for the 99th percentile of the time to verify a cached key while an attacker guesses credentials, in
 * milliseconds.
 */
export const maxCachedKeyP99Ms = 20;
/** Limit for the verification of a key whose cached check has expired, or that was never checked, in milliseconds. */
export const maxCheckedKeyMs = 250;

/**
 * Returns the limit for the 99th percentile of the latencies of healthy deliveries with neighbours, in milliseconds.
 * The limit is twice the percentile without neighbours, or 25 ms more than it, whichever is larger.
 */
export function p99LimitMs(aloneP99Ms: number): number {
  return Math.max(2 * aloneP99Ms, aloneP99Ms + 25);
}

export interface LimitComparison {
  /** The run with the median `p99Share`. A single run can be slow because of other activity on the machine. */
  median: IsolationRun;
  /**
   * 99th percentile of the latencies of healthy deliveries with neighbours, divided by its limit (`p99LimitMs`). The
   * percentile and the limit are those of the run `median`. The test passes if the quotient is at most 1.
   */
  p99Share: number;
  /** Latency of the slowest healthy delivery in all runs, in milliseconds. */
  slowestMs: number;
  passed: { p99: boolean; slowest: boolean };
}

/**
 * Compares the latencies of several runs with the limits. All runs have the same kind of noisy neighbour. A run without
 * latencies exceeds both limits.
 */
export function compareWithLimits(runs: readonly IsolationRun[]): LimitComparison {
  const p99Share = spreadOf(runs.map(shareOf)).median;
  const median = runs.find((run) => Object.is(shareOf(run), p99Share));
  if (median === undefined) throw new Error('There is no run to compare.');
  const slowestMs = Math.max(...runs.map(({ withNeighbours }) => withNeighbours.max));
  return { median, p99Share, slowestMs, passed: { p99: p99Share <= 1, slowest: slowestMs <= maxHealthyMs } };
}

function shareOf({ alone, withNeighbours }: IsolationRun): number {
  const share = withNeighbours.p99 / p99LimitMs(alone.p99);
  return Number.isNaN(share) ? Number.POSITIVE_INFINITY : share;
}
