import type { PauseReason } from '@tocsin/contracts';
import type { AlertOrNoticeFacts } from '@tocsin/template';

/** A delivery that this worker has claimed: its row, the alert's facts and the webhook's state at that time. */
export interface ClaimedDelivery {
  deliveryId: string;
  run: number;
  /** Number of the claim. Only the latest claim of a row may record an outcome. */
  claim: number;
  /** Claims in a row without an outcome, including this one. */
  claimsWithoutOutcome: number;
  /** Steps of the retry schedule that are used up. */
  step: number;
  /** Time since the run began, in milliseconds. */
  ageMs: number;
  /** True after a redelivery by hand. */
  manual: boolean;
  workspaceId: string;
  webhookId: string;
  /** Id of the HTTP request that published the alert; null for an alert over AMQP. */
  requestId: string | null;
  /** Trace context of the alert; null unless it was traced. */
  traceparent: string | null;
  facts: AlertOrNoticeFacts;
  /** Undefined if the webhook does not exist in the workspace. */
  webhook: { version: number; enabled: boolean; retryOnTimeout: boolean } | undefined;
  /** Undefined if the webhook is not paused. `times` counts the pauses of an open circuit. */
  pause: { reason: PauseReason; remainingMs: number; times: number } | undefined;
  /** True if the claim has taken a request from the rate limit of its webhook. */
  hasToken?: boolean;
  /** Time before the claim's statement, on this process's monotonic clock, in milliseconds. */
  claimedAtMs: number;
}

/** The labels or annotations of an alert without any. */
export const noTexts: AlertOrNoticeFacts['labels'] = {};

/**
 * Claims without an outcome after which the next claim of a delivery is in quarantine: the delivery may crash its
 * workers.
 */
const quarantinedAfter = 3;
/** Claims without an outcome after which a delivery is not sent again and fails as `crashes_worker`. */
export const maxClaimsWithoutOutcome = 8;

/**
 * True for a delivery in quarantine. A worker has at most one of them in flight, so a crash adds a claim without an
 * outcome to no other delivery in quarantine.
 */
export function needsQuarantine(delivery: Pick<ClaimedDelivery, 'claimsWithoutOutcome'>): boolean {
  return delivery.claimsWithoutOutcome > quarantinedAfter;
}
