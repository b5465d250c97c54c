import type { Attempt, Delivery, DestinationResponse } from '@tocsin/contracts';
import { type SecretBox, type SecretLocation, timeOfRecordId } from '@tocsin/database';
import type { StoredAttempt } from './attempts-reader.js';
import type { StoredDelivery, StoredResponse } from './deliveries-reader.js';

type DeliveryRow = Pick<StoredDelivery, 'id' | 'workspaceId'>;

export function presentDelivery(delivery: StoredDelivery, secretBox: SecretBox): Delivery {
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
    response: presentResponse(delivery, delivery, secretBox),
    error: delivery.error,
    error_code: delivery.errorCode,
  };
}

/** The request body can contain credentials, so only callers that can read the secrets of webhooks see it. */
export function presentAttempt(
  delivery: DeliveryRow,
  attempt: StoredAttempt,
  { secretBox, showSecrets }: { secretBox: SecretBox; showSecrets: boolean },
): Attempt {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    request_body: showSecrets
      ? decrypt(
          attempt.requestBodyEncrypted,
          { ...locationOf(delivery, attempt), column: 'request_body' },
          secretBox,
        )
      : null,
    response: presentResponse(delivery, attempt, secretBox),
    error: attempt.error,
    error_code: attempt.errorCode,
  };
}

/** A body that cannot be decrypted is shown as truncated: the rest of the delivery stays readable. */
function presentResponse(
  delivery: DeliveryRow,
  attempt: StoredResponse,
  secretBox: SecretBox,
): DestinationResponse {
  const { statusCode, responseEncrypted, responseTruncated } = attempt;
  if (statusCode === null) return null;
  const location = { ...locationOf(delivery, attempt), column: 'response' };
  const response = responseEncrypted === null ? '' : decrypt(responseEncrypted, location, secretBox);
  return {
    status_code: statusCode,
    response: response ?? '',
    truncated: response === null || (responseTruncated ?? false),
  };
}

function locationOf({ id, workspaceId }: DeliveryRow, { claim }: Pick<StoredResponse, 'claim'>) {
  return { workspaceId, table: 'attempts', id: `${id}/${claim}` };
}

/** Null when this process does not have the worker's key, or the value was changed or moved. */
function decrypt(encrypted: Buffer, location: SecretLocation, secretBox: SecretBox): string | null {
  try {
    return secretBox.decrypt(encrypted, location).toString('utf8');
  } catch {
    return null;
  }
}
