import type { DeadLetterReason } from '@tocsin/contracts';
import type { Logger } from '@tocsin/kit';
import { deliveriesQueue, type Incoming } from '@tocsin/messaging';
import type { WorkerMetrics } from '../metrics.js';
import type { DeadLetters } from './dead-letters.js';
import { requestIdOf } from './request-id-of.js';

/** Settles a message that can never be processed, once it stands in the table of dead letters. */
export type SetAside = (message: Incoming, why: { reason: DeadLetterReason; detail: string }) => void;

export interface SetAsideDeps {
  deadLetters: DeadLetters;
  logger: Logger;
  metrics: WorkerMetrics;
}

export function createSetAside({ deadLetters, logger, metrics }: SetAsideDeps): SetAside {
  return (message, { reason, detail }) => {
    const { content, queue, routingKey, redelivered } = message;
    const requestId = requestIdOf(message);
    const line = queue === deliveriesQueue ? 'delivery.dead_lettered' : 'alert.dead_lettered';
    deadLetters.add({ reason, detail, queue, routingKey, content, requestId, redelivered }).then(
      () => {
        metrics.deadLettered(reason);
        // The detail may quote the message, and stands with it in the table.
        logger.warn({ reason, bytes: content.length, request_id: requestId }, line);
        message.done();
      },
      (error: unknown) => message.failed(error),
    );
  };
}
