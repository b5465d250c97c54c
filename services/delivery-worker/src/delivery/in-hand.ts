import type { DeliveryDue } from '@tocsin/contracts';

/**
 * Deliveries that have been begun and whose outcome is not committed yet. What has been sent and cannot be recorded may
 * lose its lease and be queued again. Claimed here anew it would be sent again, as often as its lease runs out, and its
 * outcome would be a late owner's. So a message that comes meanwhile is only noted (docs/adr/0039).
 */
export interface InHand {
  has(deliveryId: string): boolean;
  /**
   * For one in hand. It may be the message that tells of the row as the work in hand leaves it. One is enough, for who
   * looks at it claims the row as it is by then.
   */
  note(due: DeliveryDue): void;
  /**
   * Has a delivery in hand until `work` has ended. What was noted meanwhile is given to `lookAgain`, also where the work
   * fails: its message has been acknowledged.
   */
  keep(
    deliveryId: string,
    work: () => Promise<void>,
    lookAgain: (noted: DeliveryDue) => Promise<void>,
  ): Promise<void>;
  size(): number;
}

export function createInHand(): InHand {
  const inHand = new Map<string, DeliveryDue | undefined>();
  return {
    has: (deliveryId) => inHand.has(deliveryId),
    note(due) {
      const noted = inHand.get(due.deliveryId);
      if (noted === undefined || noted.run < due.run) inHand.set(due.deliveryId, due);
    },
    async keep(deliveryId, work, lookAgain) {
      inHand.set(deliveryId, undefined);
      try {
        await work();
      } finally {
        const noted = inHand.get(deliveryId);
        inHand.delete(deliveryId);
        if (noted !== undefined) await lookAgain(noted);
      }
    },
    size: () => inHand.size,
  };
}
