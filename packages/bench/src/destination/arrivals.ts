export interface ArrivalsRun {
  run: number;
  alerts: number;
  webhooks: number;
}

/**
 * Requests of one run, counted for each pair of an alert and a webhook. A pair has one index in all arrays: `alert *
 * webhooks + webhook`. The code calls this index a slot. It is not a slot of a worker.
 */
export interface Arrivals {
  run: number;
  webhooks: number;
  /** Number of requests of each pair of alert and webhook. The count stops at 255. */
  received: Uint8Array;
  /** Number of requests of each pair of alert and webhook that were rejected with status 500. */
  rejected: Uint8Array;
  /** Arrival time of the first request of each pair, in milliseconds of the monotonic clock. */
  firstArrivalMs: Float64Array;
  /** Number of pairs of an alert and a webhook with at least one request. */
  distinct: number;
  requests: number;
}

export function createArrivals({ run, alerts, webhooks }: ArrivalsRun): Arrivals {
  const slots = alerts * webhooks;
  return {
    run,
    webhooks,
    received: new Uint8Array(slots),
    rejected: new Uint8Array(slots),
    firstArrivalMs: new Float64Array(slots),
    distinct: 0,
    requests: 0,
  };
}

/**
 * Counts a request for the pair of alert and webhook with the index `slot`.
 * @throws Error if the run has no such pair
 */
export function countArrival(arrivals: Arrivals, slot: number, nowMs: number): void {
  arrivals.requests += 1;
  if (!(slot < arrivals.received.length)) throw new Error(`Run ${arrivals.run} has no slot ${slot}.`);
  if (arrivals.received[slot] === 0) {
    arrivals.distinct += 1;
    arrivals.firstArrivalMs[slot] = nowMs;
  }
  if (arrivals.received[slot]! < 255) arrivals.received[slot]! += 1;
}
