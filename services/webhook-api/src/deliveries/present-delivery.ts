import { type Attempt, type Delivery, type DestinationResponse, likelyCauseOf } from '@tocsin/contracts';
import { type SecretBox, timeOfRecordId } from '@tocsin/database';
import { type AttemptContent, decryptAttempt, renderedLocation } from '@tocsin/deliveries';
import { hasPermission, type Principal } from '@tocsin/identity';
import { maxPageBytes } from '../lists/paging.js';
import type { StoredAttempt } from './attempts-reader.js';
import type { StoredContent, StoredDelivery } from './deliveries-reader.js';

interface Reader {
  secretBox: SecretBox;
  principal: Principal;
}

/**
 * A row with the decrypted content of its attempt. `content` is null if there was no attempt, if the content cannot be
 * decrypted, or if the row is above the limit of the page.
 */
type Decoded<Row> = Row & { content: AttemptContent | null; beyondBudget: boolean };

/**
 * Decrypts the contents of rows, in the order of the rows, and marks the rows above the limit of a page. The SQL
 * statement that reads the rows has the same limit, but it counts the stored bytes, and the stored contents can be
 * compressed. This function counts the UTF-16 units of the decompressed bodies.
 */
export function decodeWithinBudget<Row extends StoredContent & { beyondBudget?: boolean }>(
  rows: readonly Row[],
  secretBox: SecretBox,
  deliveryOf: (row: Row) => Pick<StoredDelivery, 'id' | 'workspaceId'>,
): Decoded<Row>[] {
  let length = 0;
  let isFull = false;
  return rows.map((row, index) => {
    isFull ||= row.beyondBudget === true;
    const content = isFull ? null : readContent(row, { delivery: deliveryOf(row), secretBox });
    length += content === null ? 0 : content.requestBody.length + content.responseBody.length;
    isFull ||= index > 0 && length > maxPageBytes;
    return { ...row, content: isFull ? null : content, beyondBudget: isFull };
  });
}

/**
 * Returns a delivery as the caller may see it. Only callers that may read the credentials of the webhook see the
 * rendered text, which can contain them.
 */
export function presentDelivery(
  delivery: StoredDelivery | Decoded<StoredDelivery>,
  { secretBox, principal }: Reader,
): Delivery {
  const { id, workspaceId, renderedEncrypted } = delivery;
  const content = 'content' in delivery ? delivery.content : readContent(delivery, { delivery, secretBox });
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
    response: presentResponse(delivery, content),
    error: delivery.error,
    error_code: delivery.errorCode,
    likely_cause: likelyCauseOf(delivery.statusCode),
    rendered: showsRendered ? readRendered(renderedEncrypted, { delivery, secretBox }) : null,
  };
}

/**
 * Returns an attempt as the caller may see it. Only callers that may read the credentials of the webhook see the
 * request body, which can contain them.
 */
export function presentAttempt(
  { content, ...attempt }: Decoded<StoredAttempt>,
  { delivery, principal }: { delivery: StoredDelivery; principal: Principal },
): Attempt {
  const showsBody = hasPermission(principal, 'webhook_update', delivery.workspaceId);
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    destination: attempt.destination,
    request_body: showsBody ? (content?.requestBody ?? null) : null,
    response: presentResponse(attempt, content),
    error: attempt.error,
    error_code: attempt.errorCode,
    likely_cause: likelyCauseOf(attempt.statusCode),
  };
}

/**
 * Returns the response of an attempt, or null if there was none. A body that cannot be decrypted is shown as empty and
 * marked as truncated, so that the rest of the delivery can be read.
 */
function presentResponse(
  { statusCode, responseTruncated }: StoredContent,
  content: AttemptContent | null,
): DestinationResponse {
  if (statusCode === null) return null;
  return {
    status_code: statusCode,
    response: content?.responseBody ?? '',
    truncated: content === null || (responseTruncated ?? false),
    location: content?.location ?? null,
    retry_after: content?.retryAfter ?? null,
  };
}

interface ContentReader {
  delivery: Pick<StoredDelivery, 'id' | 'workspaceId'>;
  secretBox: SecretBox;
}

/**
 * Returns the stored request and response of an attempt. Returns null if there was no attempt, or if the stored content
 * cannot be decrypted or decoded.
 */
function readContent(
  { claim, contentEncrypted }: StoredContent,
  { delivery: { id, workspaceId }, secretBox }: ContentReader,
): AttemptContent | null {
  if (contentEncrypted === null) return null;
  try {
    return decryptAttempt(contentEncrypted, { workspaceId, deliveryId: id, claim: claim! }, secretBox);
  } catch {
    return null;
  }
}

/** Returns null if this process lacks the key of the value, or the value was changed or copied from another row. */
function readRendered(encrypted: Buffer, { delivery, secretBox }: ContentReader): string | null {
  try {
    return secretBox.decrypt(encrypted, renderedLocation(delivery)).toString('utf8');
  } catch {
    return null;
  }
}
