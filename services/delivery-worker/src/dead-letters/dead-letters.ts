import { type DeadLetterReason, maxAlertBytes } from '@tocsin/contracts';
import { classifyDatabaseError } from '@tocsin/database';
import { isUuid, type Logger, splitBySize } from '@tocsin/kit';
import { deliveriesQueue, type QueueMessage } from '@tocsin/messaging';
import type { DatabaseRetry } from '../database-retry.js';
import type { DeadLetterMetrics } from './dead-letter-metrics.js';
import {
  type DeadLetter,
  type DeadLettersRepository,
  deadLetterId,
  truncatePayload,
} from './dead-letters-repository.js';

/** Outcome of processing one message. */
export type MessageOutcome = { kind: 'processed' } | Unprocessable | { kind: 'error'; error: unknown };

/** A message that cannot be processed, no matter how often it is retried. */
export interface Unprocessable {
  kind: 'unprocessable';
  reason: DeadLetterReason;
  /** Reason as a sentence for people. It may quote the message. */
  detail: string;
}

/** Settles a message according to its outcome: acknowledges it, writes it as a dead letter, or retries it. */
export type SettleMessage = (message: QueueMessage, outcome: MessageOutcome) => void;

export interface DeadLetterDeps {
  repository: DeadLettersRepository;
  databaseRetry: DatabaseRetry;
  /**
   * Returns the time on the database's clock in Unix milliseconds. The creation time of a dead letter is calculated
   * from it. With a time that is too early, retention would remove the dead letter too early.
   */
  now: () => Promise<number>;
  logger: Logger;
  metrics: DeadLetterMetrics;
}

const maxLettersInBatch = 200;
const maxBytesInStatement = 4 * 1_048_576;

export function createSettleMessage(deps: DeadLetterDeps): SettleMessage {
  const { logger, metrics } = deps;
  const writer = createWriter(deps);

  const deadLetter = (message: QueueMessage, { reason, detail }: Unprocessable): void => {
    const isWritten = (written: boolean) => {
      if (written) {
        const event = message.queue === deliveriesQueue ? 'delivery.dead_lettered' : 'alert.dead_lettered';
        metrics.deadLettered(reason);
        // The detail is stored in the table but not logged, because it can quote the message.
        logger.warn({ reason, bytes: message.content.length, request_id: message.requestId }, event);
      }
      message.ack();
    };
    writer
      .add({ message, reason, detail, failedAtMs: performance.now() })
      .then(isWritten, (error) => message.retry(error));
  };
  return (message, outcome) => {
    if (outcome.kind === 'processed') return message.ack();
    if (outcome.kind === 'unprocessable') return deadLetter(message, outcome);
    // The database always rejects an invalid value again. After every other error, a retry can succeed.
    if (classifyDatabaseError(outcome.error) !== 'invalid_value') return message.retry(outcome.error);
    const detail = `The database rejected a value: ${outcome.error}`;
    deadLetter(message, { kind: 'unprocessable', reason: 'invalid_message', detail });
  };
}

interface Pending {
  message: QueueMessage;
  reason: DeadLetterReason;
  detail: string;
  /** Time of the call of `add`, after processing failed, on the monotonic clock of the process, in milliseconds. */
  failedAtMs: number;
  /** The row to write. It is created before the first commit, so that a repeated commit writes an identical row. */
  letter?: DeadLetter;
}

/**
 * Creates a batcher that writes dead letters, one batch at a time. Many dead letters therefore use only one database
 * connection, and only a few megabytes of memory at a time. `add` resolves to true after the commit. If the message is
 * returned to the broker before its batch is written, `add` writes nothing and resolves to false.
 */
function createWriter({ repository, databaseRetry, now }: DeadLetterDeps) {
  return databaseRetry.createBatcher<Pending, boolean>({
    commit: async (batch) => {
      const offsetMs = (await now()) - performance.now();
      const areOurs = batch.map(({ message }) => !message.isReturned());
      const ours = batch.filter((_, index) => areOurs[index]);
      for (const pending of ours) pending.letter ??= toLetter(pending, offsetMs);
      const letters = ours.map(({ letter }) => letter!);
      for (const part of splitBySize(letters, { sizeOf: storedBytes, maxSize: maxBytesInStatement }))
        await repository.add(part);
      return areOurs;
    },
    maxSize: maxLettersInBatch,
    concurrency: 1,
  });
}

/**
 * Creates the row of a dead letter. Its id contains the millisecond in which processing failed, so that equal messages
 * become separate dead letters, unless they fail in the same millisecond.
 */
function toLetter({ message, reason, detail, failedAtMs }: Pending, offsetMs: number): DeadLetter {
  const { content, queue, routingKey, redelivered, requestId } = message;
  const letter = { reason, detail, queue, routingKey, content, requestId, redelivered };
  const id = deadLetterId(failedAtMs + offsetMs, letter);
  return { ...letter, id, workspaceId: queue === deliveriesQueue ? undefined : workspaceOf(content) };
}

/**
 * Returns the workspace that a message names, even if the message is not a valid alert. Returns undefined if the
 * message names none or is larger than 1 MiB.
 */
function workspaceOf(content: Buffer): string | undefined {
  if (content.length > maxAlertBytes) return undefined;
  try {
    const message: unknown = JSON.parse(content.toString());
    if (typeof message !== 'object' || message === null || !('workspace_id' in message)) return undefined;
    const { workspace_id: id } = message;
    return isUuid(id) ? id.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}

function storedBytes({ content }: DeadLetter): number {
  return truncatePayload(content).length;
}
