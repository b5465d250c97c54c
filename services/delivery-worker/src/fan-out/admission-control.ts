import type { Slots } from '../slots/slots.js';

/**
 * Decides how many alerts fan-out accepts at a time. A delivery that is claimed at write needs about a quarter less CPU
 * time than one that passes through the queue. Alerts therefore wait for slots for up to 100 ms. Their messages are
 * unacknowledged and in memory during this time.
 */
export interface AdmissionControl {
  /**
   * Returns the number of alerts that may be accepted now; 0 while alerts wait for slots. `waiting`, the number of
   * waiting alerts, is at least 1.
   */
  maxNextBatch(waiting: number): number;
  /**
   * Reserves slots for a batch of `alerts` alerts that has started. When the deliveries of the batch are planned, the
   * returned function must be called with the number of all planned deliveries and the number of open ones. Its first
   * call ends the reservation; further calls do nothing.
   */
  reserve(alerts: number): (planned: PlannedDeliveries) => void;
}

export interface PlannedDeliveries {
  /** Number of planned deliveries, including those that are written as failed. */
  written: number;
  open: number;
}

export interface AdmissionControlOptions {
  slots: Pick<Slots, 'freeAtWrite'>;
  /** Monotonic clock in milliseconds. */
  now: () => number;
}

/**
 * Maximum wait for slots, in milliseconds. Fast destinations release half of the slots for claims at write in about
 * 25 ms. Hanging destinations keep their slots for seconds, so a longer wait would not help.
 */
const maxWaitMs = 100;
/**
 * Fraction of the slots for claims at write that must be free before a batch starts. It does not apply if the free
 * slots are enough for all waiting alerts. Smaller batches need more CPU time for each alert, in the worker and in the
 * database.
 */
const minFreePart = 1 / 2;
/**
 * If at least this number of alerts is waiting, a batch starts at once, even without free slots, because the dispatcher
 * can serve workspaces round robin only after their deliveries are written.
 */
const maxWaitingAlerts = 30_000;

/**
 * Approximate maximum number of deliveries in a batch. They need about 20 ms of CPU time in the worker and 20 ms in the
 * database. Larger batches would delay the retries of other workspaces: 200 alerts for twenty webhooks each have 4,000
 * deliveries.
 */
const maxDeliveries = 1_000;

export function createAdmissionControl({ slots, now }: AdmissionControlOptions): AdmissionControl {
  const slotsForBatch = Math.max(1, slots.freeAtWrite() * minFreePart);
  let deliveriesPerAlert = 1;
  let maxAlerts = maxDeliveries;
  let reservedAlerts = 0;
  let waitingSinceMs: number | undefined;
  return {
    maxNextBatch(waiting) {
      const alerts = slots.freeAtWrite() / deliveriesPerAlert - reservedAlerts;
      const hasEnoughSlots = alerts >= Math.min(waiting, slotsForBatch / deliveriesPerAlert);
      waitingSinceMs ??= now();
      if (!hasEnoughSlots && waiting < maxWaitingAlerts && now() - waitingSinceMs < maxWaitMs) return 0;
      waitingSinceMs = undefined;
      return Math.min(maxAlerts, hasEnoughSlots ? Math.ceil(alerts) : waiting);
    },
    reserve(alerts) {
      let reserved = alerts;
      reservedAlerts += reserved;
      return ({ written, open }) => {
        if (reserved === 0) return;
        reservedAlerts -= reserved;
        reserved = 0;
        deliveriesPerAlert = Math.max(1, open / alerts);
        maxAlerts = Math.ceil(maxDeliveries / Math.max(1, written / alerts));
      };
    },
  };
}
