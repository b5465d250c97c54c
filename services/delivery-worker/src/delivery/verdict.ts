import type { DeliveryErrorCode } from '@tocsin/contracts';

export interface Failure {
  code: DeliveryErrorCode;
  /** A sentence that holds no secret. */
  error: string;
}

/** What becomes of a delivery now. */
export type Verdict =
  | { kind: 'succeeded' }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'skipped'; failure: Failure }
  | { kind: 'retry'; afterMs: number; step: number; failure: Failure };

export const deferralReasons = [
  'held',
  'no_slot',
  'lease_short',
  'unopened',
  'render_budget',
  'quarantine',
] as const;

/** Held back for a reason that is not the delivery's own: no attempt is made, no step of the schedule is used. */
export interface Deferral {
  kind: 'deferred';
  afterMs: number;
  reason: (typeof deferralReasons)[number];
  /** What the delivery's record says meanwhile; where there is none it says what it said. */
  failure?: Failure;
}

/** One HTTP request that was made, as it is recorded. */
export interface Attempt {
  trigger: 'scheduled' | 'manual';
  startedAt: Date;
  durationMs: number;
  requestBody: string;
  response: { statusCode: number; body: string; truncated: boolean } | undefined;
  failure: Failure | undefined;
  /** What was wrong with the body of an answer that counts all the same. */
  note: string | undefined;
}
