/** The long form keeps production's leases, so that its recovery times are honest; the short form is for every commit. */
export interface Timing {
  form: 'long' | 'short';
  /** Alerts of a fault at the least, and a second. */
  alerts: number;
  perSecond: number;
  /** Of the workers. */
  claimLeaseMs: number;
  env: Record<string, string>;
  /** How long a connection stays frozen, and a worker stopped. */
  frozenMs: number;
  stoppedMs: number;
  /** Recovering may take so long. */
  recoveryBoundMs: number;
  /** Where nothing has moved for so long, nothing will. */
  stalledAfterMs: number;
}

/** Retries follow each other closely, so that what a fault has set back comes up again within the run. */
const retrySchedule = '1s,2s,5s,10s,20s,30s,60s';

export const longTiming: Timing = {
  form: 'long',
  alerts: 10_000,
  perSecond: 150,
  claimLeaseMs: 30_000,
  env: { RETRY_SCHEDULE: retrySchedule },
  frozenMs: 30_000,
  stoppedMs: 60_000,
  recoveryBoundMs: 60_000,
  stalledAfterMs: 120_000,
};

/** A claim of less than 12 s would not be sent on. */
export const shortTiming: Timing = {
  form: 'short',
  alerts: 500,
  perSecond: 100,
  claimLeaseMs: 14_000,
  env: { RETRY_SCHEDULE: retrySchedule, QUEUED_LEASE: '14s', CLAIM_LEASE: '14s' },
  frozenMs: 6_000,
  stoppedMs: 18_000,
  recoveryBoundMs: 60_000,
  stalledAfterMs: 35_000,
};
