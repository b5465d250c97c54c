import type { DeliveryErrorCode, WaitingReason } from '@tocsin/contracts';

export interface Failure {
  code: DeliveryErrorCode;
  /** An error sentence without secrets. */
  error: string;
}

/**
 * Outcome of a claim. A success always has an attempt, and a skipped delivery never has one. A failure or a retry may
 * have none, for example if the body could not be rendered. `step` is the number of steps of the retry schedule that
 * are used, including this retry.
 */
export type Outcome =
  | { kind: 'succeeded' }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'skipped'; failure: Failure }
  | { kind: 'retry'; afterMs: number; step: number; failure: Failure };

export const deferralReasons = [
  'paused',
  'no_slot',
  'body_memory',
  'lease_expired',
  'undecryptable',
  'render_budget',
  'quarantine',
  'rate_limit',
  'no_signing_secret',
] as const;

/**
 * Release of a claim without an attempt. The delivery becomes due again after `afterMs` milliseconds and uses no step
 * of its retry schedule.
 */
export interface Deferral {
  kind: 'deferred';
  afterMs: number;
  reason: (typeof deferralReasons)[number];
  /**
   * Failure that is shown as the error of the delivery until its next attempt. If it is undefined, the delivery keeps
   * its previous error.
   */
  failure?: Failure;
}

/** For each reason of a deferral, the waiting reason that users see at the delivery. */
export const waitingReasonOf: Readonly<Record<Deferral['reason'], WaitingReason>> = {
  paused: 'paused',
  no_slot: 'no_slot',
  body_memory: 'no_slot',
  lease_expired: 'backlog',
  undecryptable: 'undecryptable',
  render_budget: 'render_budget',
  quarantine: 'crashed',
  rate_limit: 'rate_limit',
  no_signing_secret: 'no_signing_secret',
};

/** Record of one HTTP request and its response. */
export interface Attempt {
  trigger: 'scheduled' | 'manual';
  startedAt: Date;
  durationMs: number;
  /** Scheme and host of the request's url. */
  destination: string;
  requestBody: string;
  response: AttemptResponse | undefined;
  failure: Failure | undefined;
  /**
   * Sentence about an incomplete, invalid or compressed response body. It does not affect the outcome, which depends
   * only on the status code.
   */
  note: string | undefined;
}

/** The response of a destination. In its texts, the secrets of the request are redacted. */
export interface AttemptResponse {
  statusCode: number;
  body: string;
  truncated: boolean;
  /** Header `Location`, at most 2,048 characters. */
  location?: string | undefined;
  /** Header `Retry-After` as received, at most 128 characters. */
  retryAfter?: string | undefined;
}
