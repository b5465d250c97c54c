import {
  type DeliveryDue,
  deliveriesExchange,
  deliveryDueKey,
  encodeDeliveriesDue,
  maxDeliveriesInMessage,
} from '@tocsin/contracts';
import type { Publisher } from '@tocsin/messaging';

/** Publishes deliveries that are due; those that the broker has not confirmed come back. */
export function createPublishDue(
  publisher: Publisher,
): (deliveries: DeliveryDue[]) => Promise<DeliveryDue[]> {
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
    return messages.filter((_, index) => results[index]!.status === 'rejected').flat();
  };
}

function toMessages(deliveries: DeliveryDue[]): DeliveryDue[][] {
  const count = Math.ceil(deliveries.length / maxDeliveriesInMessage);
  return Array.from({ length: count }, (_, index) =>
    deliveries.slice(index * maxDeliveriesInMessage, (index + 1) * maxDeliveriesInMessage),
  );
}
