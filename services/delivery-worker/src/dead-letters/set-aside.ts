import type { DeadLetterReason } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { Logger } from '@tocsin/kit';
import { deliveriesQueue, type QueueMessage } from '@tocsin/messaging';
import type { DatabaseRetry } from '../database-retry.js';
import type { DeadLetterMetrics } from './dead-letter-metrics.js';
import { createDeadLetterRepository } from './dead-letter-repository.js';
import { createDeadLetters } from './dead-letters.js';
import { requestIdOf } from './request-id-of.js';

/** Settles a message that can never be processed, once it stands in the table of dead letters. */
export type SetAside = (message: QueueMessage, why: { reason: DeadLetterReason; detail: string }) => void;

export interface SetAsideDeps {
  database: Database;
  databaseRetry: DatabaseRetry;
  /** The database's clock, in Unix milliseconds. */
  now: () => Promise<number>;
  logger: Logger;
  metrics: DeadLetterMetrics;
}

export function createSetAside({ database, databaseRetry, now, logger, metrics }: SetAsideDeps): SetAside {
  const repository = createDeadLetterRepository(database);
  const deadLetters = createDeadLetters({ repository, databaseRetry, now });
  return (message, { reason, detail }) => {
    const { content, queue, routingKey, redelivered } = message;
    const requestId = requestIdOf(message);
    const line = queue === deliveriesQueue ? 'delivery.dead_lettered' : 'alert.dead_lettered';
    const letter = { reason, detail, queue, routingKey, content, requestId, redelivered };
    deadLetters
      .add(letter, () => message.isReturned())
      .then(
        (isWritten) => {
          if (isWritten) {
            metrics.deadLettered(reason);
            // The detail may quote the message, and stands with it in the table.
            logger.warn({ reason, bytes: content.length, request_id: requestId }, line);
          }
          message.ack();
        },
        (error: unknown) => message.retry(error),
      );
  };
}
