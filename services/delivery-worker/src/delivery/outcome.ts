import type { DeliveryErrorCode } from '@tocsin/contracts';

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
] as const;

/** A release of the claim without an attempt. The delivery becomes due again and uses no step of its retry schedule. */
export interface Deferral {
  kind: 'deferred';
  afterMs: number;
  reason: (typeof deferralReasons)[number];
  /** Failure that the delivery shows until its next attempt. Unless given, the delivery keeps its previous error. */
  failure?: Failure;
}

/** Record of one HTTP request. */
export interface Attempt {
  trigger: 'scheduled' | 'manual';
  startedAt: Date;
  durationMs: number;
  requestBody: string;
  /** The body is redacted. */
  response: { statusCode: number; body: string; truncated: boolean } | undefined;
  failure: Failure | undefined;
  /** A fault of the response body. It does not change the outcome, which depends on the status line. */
  note: string | undefined;
}
