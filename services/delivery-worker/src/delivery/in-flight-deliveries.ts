import type { DeliveryDue } from '@tocsin/contracts';

/**
 * The deliveries that this worker works on, from before the claim to the commit of the outcome. A delivery that was sent
 * and cannot be recorded can be released and queued again. If this worker claimed it again, the request would be
 * repeated each time, and the first outcome would come from a late owner (docs/adr/0007).
 */
export interface InFlightDeliveries {
  /**
   * Claims and delivers. While the delivery is in flight, its latest message is kept and handled afterwards, because
   * that message can refer to the row as the delivery in flight leaves it. The promise then resolves at once. One kept
   * message is enough, because a claim reads the latest state of the row.
   */
  deliverDue(due: DeliveryDue): Promise<void>;
  /** Counts a delivery as in flight until `work` has ended. Kept messages are handled even if `work` fails. */
  track(deliveryId: string, work: () => Promise<void>): Promise<void>;
  has(deliveryId: string): boolean;
  ids(): string[];
  size(): number;
  /** Resolves when no delivery is in flight. */
  drained(): Promise<void>;
}

export function createInFlightDeliveries(
  claimAndDeliver: (due: DeliveryDue) => Promise<void>,
): InFlightDeliveries {
  const inFlight = new Map<string, DeliveryDue | undefined>();
  const onDrained: (() => void)[] = [];

  const keep = (due: DeliveryDue) => {
    const kept = inFlight.get(due.deliveryId);
    if (kept === undefined || kept.run < due.run) inFlight.set(due.deliveryId, due);
  };
  const track = async (deliveryId: string, work: () => Promise<void>): Promise<void> => {
    inFlight.set(deliveryId, undefined);
    try {
      await work();
    } finally {
      const kept = inFlight.get(deliveryId);
      inFlight.delete(deliveryId);
      if (kept !== undefined) await deliverDue(kept);
      if (inFlight.size === 0) for (const resolve of onDrained.splice(0)) resolve();
    }
  };
  const deliverDue = async (due: DeliveryDue): Promise<void> =>
    inFlight.has(due.deliveryId) ? keep(due) : track(due.deliveryId, () => claimAndDeliver(due));

  return {
    deliverDue,
    track,
    has: (deliveryId) => inFlight.has(deliveryId),
    ids: () => [...inFlight.keys()],
    size: () => inFlight.size,
    drained: () =>
      inFlight.size === 0 ? Promise.resolve() : new Promise((resolve) => onDrained.push(resolve)),
  };
}
