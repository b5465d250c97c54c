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

/**
 * A row with the decrypted texts of its attempt. `exchange` is null if there was no attempt, if the texts cannot be
 * decrypted, or if the row is above the limit of the page.
 */
type Decoded<Row> = Row & { exchange: Exchange | null; beyondBudget: boolean };

/**
 * Maximum number of UTF-16 units in all request and response bodies of a page, after decompression. The bodies of the
 * first row are shown even if they exceed this limit.
 */
const textBudget = 4 * 1_048_576;

/**
 * Decrypts the texts of rows, in the order of the rows, and marks the rows above the limit of a page. The SQL statement
 * that reads the rows has a limit too, but it counts the stored bytes, and the stored texts can be compressed.
 */
export function decodeWithinBudget<Row extends StoredExchange & { beyondBudget?: boolean }>(
  rows: readonly Row[],
  secretBox: SecretBox,
  deliveryOf: (row: Row) => Pick<StoredDelivery, 'id' | 'workspaceId'>,
): Decoded<Row>[] {
  let length = 0;
  let isFull = false;
  return rows.map((row, index) => {
    isFull ||= row.beyondBudget === true;
    const exchange = isFull ? null : readExchange(row, { delivery: deliveryOf(row), secretBox });
    length += exchange === null ? 0 : exchange.requestBody.length + exchange.responseBody.length;
    isFull ||= index > 0 && length > textBudget;
    return { ...row, exchange: isFull ? null : exchange, beyondBudget: isFull };
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
  const exchange =
    'exchange' in delivery ? delivery.exchange : readExchange(delivery, { delivery, secretBox });
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
    response: presentResponse(delivery, exchange),
    error: delivery.error,
    error_code: delivery.errorCode,
    likely_cause: likelyCauseOf(delivery.statusCode),
    rendered: showsRendered ? decryptText(renderedEncrypted, location, secretBox) : null,
  };
}

/**
 * Returns an attempt as the caller may see it. Only callers that may read the credentials of the webhook see the
 * request body, which can contain them.
 */
export function presentAttempt(
  { exchange, ...attempt }: Decoded<StoredAttempt>,
  { delivery, principal }: { delivery: StoredDelivery; principal: Principal },
): Attempt {
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

/**
 * Returns the response of an attempt, or null if there was none. A body that cannot be decrypted is shown as empty and
 * marked as truncated, so that the rest of the delivery can be read.
 */
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

interface ExchangeReader {
  delivery: Pick<StoredDelivery, 'id' | 'workspaceId'>;
  secretBox: SecretBox;
}

/**
 * Returns the stored request and response of an attempt. Returns null if there was no attempt, or if the stored texts
 * cannot be decrypted or decoded.
 */
function readExchange(
  { claim, exchangeEncrypted }: StoredExchange,
  { delivery: { id, workspaceId }, secretBox }: ExchangeReader,
): Exchange | null {
  if (exchangeEncrypted === null) return null;
  const location = { workspaceId, table: 'attempts', id: `${id}/${claim}`, column: 'exchange' };
  try {
    return decodeExchange(secretBox.decrypt(exchangeEncrypted, location));
  } catch {
    return null;
  }
}

/** Returns null if this process lacks the key of the value, or the value was changed or copied from another row. */
function decryptText(encrypted: Buffer, location: SecretLocation, secretBox: SecretBox): string | null {
  try {
    return secretBox.decrypt(encrypted, location).toString('utf8');
  } catch {
    return null;
  }
}
