import type { AlertFacts } from '@tocsin/template';

/** What a worker holds while it works on a delivery: the row, the alert's facts and what is known of the webhook. */
export interface Claimed {
  deliveryId: string;
  run: number;
  /** The fence: an outcome counts only while this is the row's latest claim. */
  claim: number;
  /** Claims in a row without an outcome, this one counted. */
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

/** A delivery claimed so often without an outcome may be what takes its workers down, or only have been beside it. */
export const suspectedAfter = 3;
/** A delivery claimed this often without an outcome takes its workers down. */
export const maxClaimsWithoutOutcome = 5;

/** It is sent with no other such beside it (docs/adr/0041). */
export function isSuspected({ claimsWithoutOutcome }: Pick<Claimed, 'claimsWithoutOutcome'>): boolean {
  return claimsWithoutOutcome - 1 >= suspectedAfter;
}
