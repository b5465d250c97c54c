import {
  alertFiredKey,
  alertsExchange,
  deliveriesExchange,
  deliveryDueKey,
  requestIdHeader,
} from '@tocsin/contracts';
import { AppError } from '@tocsin/kit';
import { deliveriesQueue, PublishError, type Publisher } from '@tocsin/messaging';
import type { DeadLettersRepository, Requeued, StoredDeadLetter } from './dead-letters-repository.js';

export interface RequeueDeadLetterDeps {
  repository: Pick<DeadLettersRepository, 'requeue'>;
  publisher: Pick<Publisher, 'publish'>;
}

/**
 * Publishes a dead letter's message again, byte for byte and under the id of its request, and marks it once the broker has confirmed and routed it.
 * @throws AppError `not_found`, `conflict` where it was put back before or only its beginning was kept, `unavailable` where the broker did not confirm.
 */
export function createRequeueDeadLetter({ repository, publisher }: RequeueDeadLetterDeps) {
  return async (id: string): Promise<StoredDeadLetter> => {
    const outcome = await repository.requeue(id, (letter) => publishAgain(letter, publisher));
    switch (outcome.kind) {
      case 'requeued':
        return outcome.letter;
      case 'not_found':
        throw new AppError('not_found', 'There is no dead letter with this id.');
      case 'already_requeued':
        throw new AppError('conflict', 'This dead letter has been put back already.');
      case 'not_kept_whole':
        throw new AppError(
          'conflict',
          'This message was too large, and only its beginning was kept: it cannot be put back.',
        );
      case 'being_requeued':
        throw new AppError('conflict', 'This dead letter is being put back just now.');
    }
  };
}

async function publishAgain(
  { queue, content, requestId }: Requeued,
  publisher: RequeueDeadLetterDeps['publisher'],
) {
  const headers = requestId === null ? {} : { headers: { [requestIdHeader]: requestId } };
  try {
    await publisher.publish({ ...destinationOf(queue), content, ...headers });
  } catch (cause) {
    if (!(cause instanceof PublishError)) throw cause;
    const detail = 'The broker has not confirmed the message. It is safe to ask again.';
    throw new AppError('unavailable', detail, { cause, retryAfterSeconds: 2 });
  }
}

/** An alert goes where alerts are taken in, also one that had come under a key that nobody listened to. */
function destinationOf(queue: string): { exchange: string; routingKey: string } {
  if (queue === deliveriesQueue) return { exchange: deliveriesExchange, routingKey: deliveryDueKey };
  return { exchange: alertsExchange, routingKey: alertFiredKey };
}
