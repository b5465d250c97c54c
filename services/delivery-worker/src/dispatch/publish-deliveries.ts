import {
  type DeliveryDue,
  deliveriesExchange,
  deliveryDueKey,
  encodeDeliveriesDue,
  maxDeliveriesInMessage,
} from '@tocsin/contracts';
import type { Logger } from '@tocsin/kit';
import type { Publisher } from '@tocsin/messaging';
import type { DatabaseRetry } from '../database-retry.js';
import type { QueueRepository } from './queue-repository.js';

/**
 * Publishes queued deliveries. If the broker does not confirm a message, the rows of its deliveries return to `waiting`
 * at once, and not only when their leases expire. Resolves to the number of these rows, and never rejects.
 */
export type PublishDeliveries = (deliveries: DeliveryDue[]) => Promise<number>;

export interface PublishDeliveriesDeps {
  publisher: Publisher;
  repository: Pick<QueueRepository, 'unqueue'>;
  databaseRetry: DatabaseRetry;
  logger: Logger;
}

export function createPublishDeliveries(deps: PublishDeliveriesDeps): PublishDeliveries {
  const { publisher, repository, databaseRetry, logger } = deps;
  return async (deliveries) => {
    const messages = toMessages(deliveries);
    const results = await Promise.allSettled(
      messages.map((due) =>
        publisher.publish({
          exchange: deliveriesExchange,
          routingKey: deliveryDueKey,
          content: encodeDeliveriesDue(due),
          contentType: 'text/plain',
        }),
      ),
    );
    const unconfirmed = messages.filter((_, index) => results[index]!.status === 'rejected').flat();
    if (unconfirmed.length > 0)
      await databaseRetry
        .retryWhileUnavailable(() => repository.unqueue(unconfirmed))
        .catch((err) => logger.warn({ err }, 'dispatch.unqueue_failed'));
    return unconfirmed.length;
  };
}

function toMessages(deliveries: DeliveryDue[]): DeliveryDue[][] {
  const count = Math.ceil(deliveries.length / maxDeliveriesInMessage);
  return Array.from({ length: count }, (_, index) =>
    deliveries.slice(index * maxDeliveriesInMessage, (index + 1) * maxDeliveriesInMessage),
  );
}
