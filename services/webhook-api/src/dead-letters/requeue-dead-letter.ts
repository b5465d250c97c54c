import {
  alertFiredKey,
  alertsExchange,
  deliveriesExchange,
  deliveryDueKey,
  requestIdHeader,
} from '@tocsin/contracts';
import type { AuditAuthor } from '@tocsin/database';
import { AppError } from '@tocsin/kit';
import { deliveriesQueue, PublishError, type Publisher } from '@tocsin/messaging';
import { notFound } from '../api-route.js';
import type { DeadLettersRepository, RequeuedMessage, StoredDeadLetter } from './dead-letters-repository.js';

export interface RequeueDeadLetterDeps {
  repository: Pick<DeadLettersRepository, 'requeue'>;
  publisher: Pick<Publisher, 'publish'>;
}

/**
 * Creates a function that publishes the message of a dead letter again, with the same bytes and request id. The dead
 * letter is marked as requeued when the broker has confirmed the message.
 * @throws AppError `not_found`; `conflict` if the dead letter is already requeued, another request is requeuing it, or
 *   its message is truncated; `unavailable` if the broker does not confirm the message
 */
export function createRequeueDeadLetter({ repository, publisher }: RequeueDeadLetterDeps) {
  return async (id: string, author: AuditAuthor): Promise<StoredDeadLetter> => {
    const outcome = await repository.requeue(id, author, (letter) => publishAgain(letter, publisher));
    switch (outcome.kind) {
      case 'requeued':
        return outcome.letter;
      case 'not_found':
        throw notFound('dead letter');
      case 'already_requeued':
        throw new AppError('conflict', 'This dead letter has been requeued already.');
      case 'truncated':
        throw new AppError('conflict', 'This message was too large: only its beginning was kept.');
      case 'being_requeued':
        throw new AppError('conflict', 'Another request is requeuing this dead letter.');
    }
  };
}

async function publishAgain(
  { queue, content, requestId }: RequeuedMessage,
  publisher: RequeueDeadLetterDeps['publisher'],
) {
  const headers = requestId === null ? {} : { headers: { [requestIdHeader]: requestId } };
  try {
    await publisher.publish({ ...destinationOf(queue), content, ...headers });
  } catch (cause) {
    if (!(cause instanceof PublishError)) throw cause;
    const detail = 'The broker did not confirm the message. It is safe to repeat the request.';
    throw new AppError('unavailable', detail, { cause, retryAfterSeconds: 2 });
  }
}

/**
 * Returns the exchange and the routing key for a requeued message. A message from any queue except the queue of
 * deliveries gets the routing key of alerts, because its original key may match no queue.
 */
function destinationOf(queue: string): { exchange: string; routingKey: string } {
  if (queue === deliveriesQueue) return { exchange: deliveriesExchange, routingKey: deliveryDueKey };
  return { exchange: alertsExchange, routingKey: alertFiredKey };
}
