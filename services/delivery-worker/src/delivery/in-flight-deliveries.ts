import type { DeliveryDue } from '@tocsin/contracts';

/**
 * The deliveries that this worker claims and processes, until their outcomes are committed. This list prevents a second
 * claim by the same worker. Without it, a lease sweep could release a delivery that waits for the commit of its
 * outcome, and this worker could claim it again from the queue. The request would be repeated, and the first outcome
 * would be rejected, because it belongs to an earlier claim (docs/adr/0007).
 */
export interface InFlightDeliveries {
  /**
   * Claims and sends the delivery that a message names. If the delivery is already in flight, the promise resolves at
   * once. The message is then kept and processed later, when the delivery is no longer in flight, because it may name
   * the next run. If several such messages arrive, only the one with the latest run is kept. One is sufficient, because
   * a claim reads the current state of the row.
   */
  deliverDue(due: DeliveryDue): Promise<void>;
  /**
   * Counts a delivery as in flight until the promise of `work` has settled. Then processes the message that
   * `deliverDue` has kept for the delivery, even if `work` has failed.
   */
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
