/**
 * Parameters of a run of the fault suite. A long run uses the leases of production, so that its recovery times are
 * realistic. A short run (`--short`) is for CI.
 */
export interface Timing {
  form: 'long' | 'short';
  /** Minimum number of alerts for each fault. */
  alerts: number;
  alertsPerSecond: number;
  env: Record<string, string>;
  /** Duration of a connection freeze, in milliseconds. */
  frozenMs: number;
  /** Duration of a table lock, in milliseconds. */
  lockedMs: number;
  /** Duration for which a worker is stopped, in milliseconds. */
  stoppedMs: number;
  /** Duration of each of two phases, in milliseconds: first one worker has wrong keys, then both have. */
  wrongKeysMs: number;
  /** Number of alerts in a flood. The workspaces of the flood publish equal parts of it. */
  floodAlerts: number;
  recoveryLimitMs: number;
  /** A run fails after this time without progress, in milliseconds. */
  stallTimeoutMs: number;
}

/** First delay of the retry schedule, in milliseconds. */
export const firstRetryMs = 1_000;
/** The delays are short, so that deliveries that fail because of a fault are retried within the run. */
const retrySchedule = `${firstRetryMs / 1_000}s,2s,5s,10s,20s,30s,60s`;

export const longTiming: Timing = {
  form: 'long',
  alerts: 10_000,
  alertsPerSecond: 150,
  env: { RETRY_SCHEDULE: retrySchedule },
  frozenMs: 30_000,
  lockedMs: 45_000,
  stoppedMs: 60_000,
  wrongKeysMs: 20_000,
  floodAlerts: 15_000,
  recoveryLimitMs: 60_000,
  stallTimeoutMs: 120_000,
};

/**
 * Parameters of a short run. The lease of queued rows (14 s) is close to the minimum of 10 s, so that deliveries
 * recover fast.
 */
export const shortTiming: Timing = {
  form: 'short',
  alerts: 500,
  alertsPerSecond: 100,
  env: { RETRY_SCHEDULE: retrySchedule, QUEUED_LEASE: '14s' },
  frozenMs: 6_000,
  lockedMs: 10_000,
  stoppedMs: 10_000,
  wrongKeysMs: 3_000,
  floodAlerts: 2_000,
  recoveryLimitMs: 60_000,
  stallTimeoutMs: 35_000,
};
