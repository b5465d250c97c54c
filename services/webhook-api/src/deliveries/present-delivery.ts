import type { Attempt, Delivery, DestinationResponse } from '@tocsin/contracts';
import { type SecretBox, timeOfRecordId } from '@tocsin/database';
import type { StoredAttempt } from './attempts-reader.js';
import type { StoredDelivery, StoredResponse } from './deliveries-reader.js';

export function presentDelivery(delivery: StoredDelivery): Delivery {
  return {
    id: delivery.id,
    workspace_id: delivery.workspaceId,
    alert_id: delivery.alertId,
    alert_rule_id: delivery.alertRuleId,
    webhook_id: delivery.webhookId,
    webhook_name: delivery.webhookName,
    destination: delivery.destination,
    status: delivery.status,
    attempts_made: delivery.attemptsMade,
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
    first_succeeded_at: delivery.firstSucceededAt?.toISOString() ?? null,
    created_at: new Date(timeOfRecordId(delivery.id)).toISOString(),
    response: presentResponse(delivery),
    error: delivery.error,
    error_code: delivery.errorCode,
  };
}

/** The request body can contain credentials, so only callers that can read the secrets of webhooks see it. */
export function presentAttempt(
  attempt: StoredAttempt,
  { secretBox, showSecrets }: { secretBox: SecretBox; showSecrets: boolean },
): Attempt {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    request_body: showSecrets ? decryptRequestBody(attempt, secretBox) : null,
    response: presentResponse(attempt),
    error: attempt.error,
    error_code: attempt.errorCode,
  };
}

/** Null when this process does not have the worker's key: the rest of the delivery stays readable. */
function decryptRequestBody(
  { deliveryId, claim, requestBodyEncrypted }: StoredAttempt,
  secretBox: SecretBox,
): string | null {
  const location = { table: 'attempts', id: `${deliveryId}/${claim}`, column: 'request_body' };
  try {
    return secretBox.decrypt(requestBodyEncrypted, location).toString('utf8');
  } catch {
    return null;
  }
}

function presentResponse({ statusCode, response, responseTruncated }: StoredResponse): DestinationResponse {
  if (statusCode === null) return null;
  return { status_code: statusCode, response: response ?? '', truncated: responseTruncated ?? false };
}
