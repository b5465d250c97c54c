import type { DeliveryErrorCode, WaitingReason } from '@tocsin/contracts';

export interface Failure {
  code: DeliveryErrorCode;
  /** A sentence without secrets. */
  error: string;
}

/** The state that a delivery gets. `step` is the number of steps of the retry schedule that are used up. */
export type Outcome =
  | { kind: 'succeeded' }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'skipped'; failure: Failure }
  | { kind: 'retry'; afterMs: number; step: number; failure: Failure };

export const deferralReasons = [
  'paused',
  'no_slot',
  'lease_expired',
  'undecryptable',
  'render_budget',
  'quarantine',
  'rate_limit',
  'no_signing_secret',
] as const;

/** A release of the claim without an attempt. The delivery becomes due again and uses no step of its retry schedule. */
export interface Deferral {
  kind: 'deferred';
  afterMs: number;
  reason: (typeof deferralReasons)[number];
  /** Failure that the delivery shows until its next attempt. Default: the delivery keeps its previous error. */
  failure?: Failure;
}

/** Reason for the deferral, shown with the waiting delivery. */
export const waitingReasons: Readonly<Record<Deferral['reason'], WaitingReason>> = {
  paused: 'paused',
  no_slot: 'no_slot',
  lease_expired: 'backlog',
  undecryptable: 'undecryptable',
  render_budget: 'render_budget',
  quarantine: 'crashed',
  rate_limit: 'rate_limit',
  no_signing_secret: 'no_signing_secret',
};

/** Record of one HTTP request. */
export interface Attempt {
  trigger: 'scheduled' | 'manual';
  startedAt: Date;
  durationMs: number;
  /** Scheme and host of the request. */
  destination: string;
  requestBody: string;
  response: AttemptResponse | undefined;
  failure: Failure | undefined;
  /** A fault of the response body. It does not change the outcome, which depends on the status line. */
  note: string | undefined;
}

/** A response whose texts are redacted. */
export interface AttemptResponse {
  statusCode: number;
  body: string;
  truncated: boolean;
  /** Header `Location`, at most 2,048 characters. */
  location?: string | undefined;
  /** Header `Retry-After`, valid or not, at most 128 characters. */
  retryAfter?: string | undefined;
}
