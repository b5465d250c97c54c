import { type DeliveryDue, deliveriesExchange, deliveryDueKey, encodeDeliveryDue } from '@tocsin/contracts';
import type { Publisher } from '@tocsin/messaging';

/** Publishes deliveries that are due; those that the broker has not confirmed come back. */
export function createPublishDue(
  publisher: Publisher,
): (deliveries: DeliveryDue[]) => Promise<DeliveryDue[]> {
  return async (deliveries) => {
    const results = await Promise.allSettled(
      deliveries.map((due) =>
        publisher.publish({
          exchange: deliveriesExchange,
          routingKey: deliveryDueKey,
          content: encodeDeliveryDue(due),
          contentType: 'text/plain',
        }),
      ),
    );
    return deliveries.filter((_, index) => results[index]!.status === 'rejected');
  };
}
