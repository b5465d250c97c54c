import type { AlertFacts } from '@tocsin/template';

/** What a worker holds while it works on a delivery: the row, the alert's facts and what is known of the webhook. */
export interface Claimed {
  deliveryId: string;
  run: number;
  /** The fence: an outcome counts only while this is the row's latest claim. */
  claim: number;
  /** Claims in a row without an outcome, including this one. */
  claimsWithoutOutcome: number;
  /** Steps of the retry schedule that have been used up. */
  step: number;
  /** Since this run was opened. */
  ageMs: number;
  manual: boolean;
  workspaceId: string;
  webhookId: string;
  /** Of the request that the alert came by, where it came by one. */
  requestId: string | null;
  facts: AlertFacts;
  /** Undefined where the webhook is gone, or is not the workspace's. */
  webhook: { version: number; enabled: boolean; retryOnTimeout: boolean } | undefined;
  hold: { reason: 'retry_after' | 'circuit'; remainingMs: number; times: number } | undefined;
  /** When the lease ends, on this process's monotonic clock, in milliseconds. */
  leaseEndsAtMs: number;
}

/** Claims without an outcome after which a delivery may be what takes its workers down. */
const quarantinedAfter = 3;
/** A delivery that was claimed this often without an outcome is not sent again: it fails as `crashes_worker`. */
export const maxClaimsWithoutOutcome = 8;

/** A worker has at most one such delivery in flight: if its process dies, the next claim of the others is not held against them. */
export function needsQuarantine({ claimsWithoutOutcome }: Pick<Claimed, 'claimsWithoutOutcome'>): boolean {
  return claimsWithoutOutcome > quarantinedAfter;
}
