/** The long form keeps the leases of production, so that recovery times are realistic. The short form runs in CI. */
export interface Timing {
  form: 'long' | 'short';
  /** Minimum number of alerts of each fault. */
  alerts: number;
  alertsPerSecond: number;
  /** Claim lease of the workers in milliseconds; `env` must set the same value. */
  claimLeaseMs: number;
  env: Record<string, string>;
  /** Time for which connections are frozen, in milliseconds. */
  frozenMs: number;
  /** Time for which a worker is stopped, in milliseconds. */
  stoppedMs: number;
  recoveryLimitMs: number;
  /** Time without progress after which a run has failed, in milliseconds. */
  stallTimeoutMs: number;
}

/** Short delays, so that deliveries that fail because of a fault are retried within the run. */
const retrySchedule = '1s,2s,5s,10s,20s,30s,60s';

export const longTiming: Timing = {
  form: 'long',
  alerts: 10_000,
  alertsPerSecond: 150,
  claimLeaseMs: 30_000,
  env: { RETRY_SCHEDULE: retrySchedule },
  frozenMs: 30_000,
  stoppedMs: 60_000,
  recoveryLimitMs: 60_000,
  stallTimeoutMs: 120_000,
};

/** Leases are close to the minimum: a worker sends nothing under a claim with less than 12 s left. */
export const shortTiming: Timing = {
  form: 'short',
  alerts: 500,
  alertsPerSecond: 100,
  claimLeaseMs: 14_000,
  env: { RETRY_SCHEDULE: retrySchedule, QUEUED_LEASE: '14s', CLAIM_LEASE: '14s' },
  frozenMs: 6_000,
  stoppedMs: 18_000,
  recoveryLimitMs: 60_000,
  stallTimeoutMs: 35_000,
};
