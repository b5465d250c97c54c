import type { Slots } from '../slots/slots.js';

/**
 * Decides how many alerts fan-out accepts at a time. A delivery that finds a slot when it is written costs about a quarter
 * less CPU than one that passes through the queue, so alerts wait up to 100 ms for slots, unacknowledged in memory.
 */
export interface AdmissionControl {
  /** Number of alerts that may be accepted now; 0 while they wait for slots. `waiting` is 1 or more. */
  room(waiting: number): number;
  /**
   * Reserves slots for a batch that has started. The returned function ends the reservation, with the numbers of
   * deliveries that were planned for the batch; a second call does nothing.
   */
  reserve(alerts: number): (planned: PlannedDeliveries) => void;
}

export interface PlannedDeliveries {
  /** Number of rows, including those of deliveries that are written as failed. */
  written: number;
  open: number;
}

export interface AdmissionControlOptions {
  slots: Pick<Slots, 'freeAtWrite'>;
  /** Milliseconds on a monotonic clock. */
  now: () => number;
}

/**
 * Longest wait for slots. Healthy destinations free 128 slots in about 25 ms. Destinations that hang occupy theirs for
 * seconds, so a longer wait would not help.
 */
const maxWaitMs = 100;
/** A batch for fewer slots costs more than the wait for more of them. A worker with few slots waits for a quarter of them. */
const minSlots = 128;
const minPart = 1 / 4;
/** With more waiting alerts than this, none waits for slots: workspaces are served fairly only once their rows are written. */
const maxWaitingAlerts = 30_000;

/**
 * Maximum number of deliveries in a batch: about 20 ms of CPU in the worker and in the database each. Batches of 200
 * alerts for twenty webhooks each would delay the retries of other workspaces.
 */
const maxDeliveries = 1_000;

export function createAdmissionControl({ slots, now }: AdmissionControlOptions): AdmissionControl {
  const slotsForBatch = Math.max(1, Math.min(minSlots, slots.freeAtWrite() * minPart));
  let deliveriesPerAlert = 1;
  let maxAlerts = maxDeliveries;
  let reservedAlerts = 0;
  let waitingSinceMs: number | undefined;
  return {
    room(waiting) {
      const alerts = slots.freeAtWrite() / deliveriesPerAlert - reservedAlerts;
      const hasRoom = alerts >= Math.min(waiting, slotsForBatch / deliveriesPerAlert);
      waitingSinceMs ??= now();
      if (!hasRoom && waiting < maxWaitingAlerts && now() - waitingSinceMs < maxWaitMs) return 0;
      waitingSinceMs = undefined;
      return Math.min(maxAlerts, hasRoom ? Math.ceil(alerts) : waiting);
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
