import type { Claimed } from './claimed.js';
import type { Attempt, Verdict } from './verdict.js';

/**
 * What the log says of a delivery. One literal: a line is written for each request, and objects spread into one another
 * cost more than the line.
 */
export function lineOf(claimed: Claimed, verdict: Verdict, attempt?: Attempt) {
  return {
    request_id: claimed.requestId ?? undefined,
    delivery_id: claimed.deliveryId,
    run: claimed.run,
    claim: claimed.claim,
    webhook_id: claimed.webhookId,
    workspace_id: claimed.workspaceId,
    alert_id: claimed.facts.alert_id,
    outcome: verdict.kind,
    error_code: 'failure' in verdict ? verdict.failure.code : undefined,
    attempt: attempt && claimed.step + 1,
    trigger: attempt?.trigger,
    status_code: attempt?.response?.statusCode,
    duration_ms: attempt && Math.round(attempt.durationMs),
  };
}
