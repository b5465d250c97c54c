import { type Attempt, type Delivery, type DestinationResponse, likelyCauseOf } from '@tocsin/contracts';
import { type SecretBox, type SecretLocation, timeOfRecordId } from '@tocsin/database';
import { hasPermission, type Principal } from '@tocsin/identity';
import type { StoredAttempt } from './attempts-reader.js';
import type { StoredDelivery, StoredResponse } from './deliveries-reader.js';

interface Reader {
  secretBox: SecretBox;
  principal: Principal;
}

/** The rendered text can contain credentials of the webhook, so only callers that can read those see it. */
export function presentDelivery(delivery: StoredDelivery, { secretBox, principal }: Reader): Delivery {
  const { id, workspaceId, renderedEncrypted } = delivery;
  const location = { workspaceId, table: 'deliveries', id, column: 'rendered' };
  const showsRendered = renderedEncrypted !== null && hasPermission(principal, 'webhook_update', workspaceId);
  return {
    id,
    workspace_id: workspaceId,
    alert_id: delivery.alertId,
    alert_rule_id: delivery.alertRuleId,
    webhook_id: delivery.webhookId,
    webhook_name: delivery.webhookName,
    destination: delivery.destination,
    status: delivery.status,
    attempts_made: delivery.attemptsMade,
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
    waiting_reason: delivery.waitingReason,
    first_succeeded_at: delivery.firstSucceededAt?.toISOString() ?? null,
    created_at: new Date(timeOfRecordId(id)).toISOString(),
    response: presentResponse(delivery, { delivery, secretBox }),
    error: delivery.error,
    error_code: delivery.errorCode,
    likely_cause: likelyCauseOf(delivery.statusCode),
    rendered: showsRendered ? decrypt(renderedEncrypted, location, secretBox) : null,
  };
}

interface AttemptReader extends Reader {
  delivery: StoredDelivery;
}

/** The request body can contain credentials too. */
export function presentAttempt(
  attempt: StoredAttempt,
  { delivery, secretBox, principal }: AttemptReader,
): Attempt {
  const location = locationOf(delivery, attempt, 'request_body');
  const showsBody = hasPermission(principal, 'webhook_update', delivery.workspaceId);
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    destination: attempt.destination,
    request_body: showsBody ? decrypt(attempt.requestBodyEncrypted, location, secretBox) : null,
    response: presentResponse(attempt, { delivery, secretBox }),
    error: attempt.error,
    error_code: attempt.errorCode,
    likely_cause: likelyCauseOf(attempt.statusCode),
  };
}

/** A body that cannot be decrypted is shown as truncated: the rest of the delivery stays readable. */
function presentResponse(
  stored: StoredResponse,
  { delivery, secretBox }: Pick<AttemptReader, 'delivery' | 'secretBox'>,
): DestinationResponse {
  const { statusCode, responseEncrypted, responseTruncated, responseHeadersEncrypted } = stored;
  if (statusCode === null) return null;
  const read = (encrypted: Buffer, column: string) =>
    decrypt(encrypted, locationOf(delivery, stored, column), secretBox);
  const response = responseEncrypted === null ? '' : read(responseEncrypted, 'response');
  const headers = responseHeadersEncrypted && read(responseHeadersEncrypted, 'response_headers');
  const { location = null, retryAfter = null } = headers === null ? {} : JSON.parse(headers);
  return {
    status_code: statusCode,
    response: response ?? '',
    truncated: response === null || (responseTruncated ?? false),
    location,
    retry_after: retryAfter,
  };
}

function locationOf(
  { id, workspaceId }: StoredDelivery,
  { claim }: Pick<StoredResponse, 'claim'>,
  column: string,
): SecretLocation {
  return { workspaceId, table: 'attempts', id: `${id}/${claim}`, column };
}

/** Null when this process does not have the worker's key, or the value was changed or moved. */
function decrypt(encrypted: Buffer, location: SecretLocation, secretBox: SecretBox): string | null {
  try {
    return secretBox.decrypt(encrypted, location).toString('utf8');
  } catch {
    return null;
  }
}
