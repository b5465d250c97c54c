import { AppError, type RateDecision } from '@tocsin/kit';

/** @throws AppError `too_many_requests`, with when to come again */
export function requireAllowed(decision: RateDecision, detail: string): void {
  if (decision.allowed) return;
  const { retryAfterSeconds } = decision;
  throw new AppError('too_many_requests', detail, { retryAfterSeconds });
}
