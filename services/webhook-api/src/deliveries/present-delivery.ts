import { type Attempt, type Delivery, type DestinationResponse, likelyCauseOf } from '@tocsin/contracts';
import { type SecretBox, type SecretLocation, timeOfRecordId } from '@tocsin/database';
import { decodeExchange, type Exchange } from '@tocsin/deliveries';
import { hasPermission, type Principal } from '@tocsin/identity';
import type { StoredAttempt } from './attempts-reader.js';
import type { StoredDelivery, StoredExchange } from './deliveries-reader.js';

interface Reader {
  secretBox: SecretBox;
  principal: Principal;
}

/** The rendered text can contain credentials of the webhook, so it is shown only to callers that may read these. */
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
    attempts_expired: delivery.attemptsExpired,
    created_at: new Date(timeOfRecordId(id)).toISOString(),
    response: presentResponse(delivery, readExchange(delivery, { delivery, secretBox })),
    error: delivery.error,
    error_code: delivery.errorCode,
    likely_cause: likelyCauseOf(delivery.statusCode),
    rendered: showsRendered ? decrypt(renderedEncrypted, location, secretBox) : null,
  };
}

interface AttemptReader extends Reader {
  delivery: StoredDelivery;
}

/** The request body can contain credentials of the webhook, so it is shown only to callers that may read these. */
export function presentAttempt(
  attempt: StoredAttempt,
  { delivery, secretBox, principal }: AttemptReader,
): Attempt {
  const exchange = readExchange(attempt, { delivery, secretBox });
  const showsBody = hasPermission(principal, 'webhook_update', delivery.workspaceId);
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    destination: attempt.destination,
    request_body: showsBody ? (exchange?.requestBody ?? null) : null,
    response: presentResponse(attempt, exchange),
    error: attempt.error,
    error_code: attempt.errorCode,
    likely_cause: likelyCauseOf(attempt.statusCode),
  };
}

/** A response body that cannot be decrypted is shown as truncated, so that the rest of the delivery can be read. */
function presentResponse(
  { statusCode, responseTruncated }: StoredExchange,
  exchange: Exchange | null,
): DestinationResponse {
  if (statusCode === null) return null;
  return {
    status_code: statusCode,
    response: exchange?.responseBody ?? '',
    truncated: exchange === null || (responseTruncated ?? false),
    location: exchange?.location ?? null,
    retry_after: exchange?.retryAfter ?? null,
  };
}

/** Returns null if there was no attempt or its texts cannot be decrypted. */
function readExchange(
  { claim, exchangeEncrypted }: StoredExchange,
  { delivery, secretBox }: Pick<AttemptReader, 'delivery' | 'secretBox'>,
): Exchange | null {
  if (exchangeEncrypted === null) return null;
  const { id, workspaceId } = delivery;
  const location = { workspaceId, table: 'attempts', id: `${id}/${claim}`, column: 'exchange' };
  const text = decrypt(exchangeEncrypted, location, secretBox);
  return text === null ? null : decodeExchange(text);
}

/** Returns null if this process does not have the worker's key, or the value was changed or copied from another row. */
function decrypt(encrypted: Buffer, location: SecretLocation, secretBox: SecretBox): string | null {
  try {
    return secretBox.decrypt(encrypted, location).toString('utf8');
  } catch {
    return null;
  }
}
