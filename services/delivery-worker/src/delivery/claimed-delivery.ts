import type { PauseReason } from '@tocsin/contracts';
import type { AlertOrNoticeFacts } from '@tocsin/template';

/**
 * A delivery that this worker has claimed, with the data of its alert for the template and the state of its webhook at
 * the time of the claim.
 */
export interface ClaimedDelivery {
  deliveryId: string;
  run: number;
  /** Number of the claim. An outcome is recorded only for the latest claim of a row. */
  claim: number;
  /**
   * Number of consecutive claims without an outcome, including this one. Claims that ended with a deferral are not
   * counted.
   */
  claimsWithoutOutcome: number;
  /** Number of steps of the retry schedule that the delivery has used. */
  step: number;
  /** Time since the start of the run, in milliseconds. */
  ageMs: number;
  /**
   * True if a person requested this attempt, by a redelivery or a dispatch by hand. False for the retries that follow.
   */
  manual: boolean;
  workspaceId: string;
  webhookId: string;
  /**
   * Id for the logs, from the header `x-request-id` of the alert's message: the id of the HTTP request that published
   * the alert, or an id that the publisher over AMQP has chosen. Null without the header.
   */
  requestId: string | null;
  /** Trace context of the alert; null if it was not traced. */
  traceparent: string | null;
  facts: AlertOrNoticeFacts;
  /** State of the webhook; undefined if the webhook does not exist in the workspace. */
  webhook: { version: number; enabled: boolean; retryOnTimeout: boolean } | undefined;
  /**
   * Pause of the webhook; undefined if there is none. `remainingMs` is 0 or negative after the end of a pause, until a
   * response shows that the destination works. `times` is the number of consecutive pauses by the circuit breaker.
   */
  pause: { reason: PauseReason; remainingMs: number; times: number } | undefined;
  /**
   * Kind of a claim by `claimLimited`; undefined for every other claim. `with_request`: the claim has taken a request
   * from the webhook's rate limit. `expired`: it has taken none, because the delivery had expired and is only ended.
   */
  limitedClaim?: 'with_request' | 'expired';
  /** Start of the statement that claimed the delivery, on the monotonic clock of the process, in milliseconds. */
  claimedAtMs: number;
}

/**
 * Empty object that is used as the labels of alerts without labels, and as the annotations of alerts without
 * annotations.
 */
export const noEntries: AlertOrNoticeFacts['labels'] = {};

/**
 * Number of consecutive claims without an outcome after which a delivery is sent in quarantine, because it may crash
 * its workers.
 */
const quarantinedAfter = 3;
/** Number of claims without an outcome after which a delivery fails as `crashes_worker` and is not sent again. */
export const maxClaimsWithoutOutcome = 8;

/**
 * Returns true if a delivery must be sent in quarantine. A worker sends only one such delivery at a time, so that a
 * crash by this delivery does not count as a claim without an outcome for other poison deliveries.
 */
export function needsQuarantine(delivery: Pick<ClaimedDelivery, 'claimsWithoutOutcome'>): boolean {
  return delivery.claimsWithoutOutcome > quarantinedAfter;
}
