export interface ArrivalsRun {
  run: number;
  alerts: number;
  webhooks: number;
}

/**
 * Requests of one run, counted for each delivery, that is for each pair of an alert and a webhook. A delivery has one
 * index in all arrays, its delivery index: `alert * webhooks + webhook`.
 */
export interface Arrivals {
  run: number;
  webhooks: number;
  /** Number of requests of each delivery. The count stops at 255. */
  received: Uint8Array;
  /** Number of requests of each delivery that were rejected with status 500. */
  rejected: Uint8Array;
  /** Arrival time of the first request of each delivery, in milliseconds of the monotonic clock. */
  firstArrivalMs: Float64Array;
  /** Number of deliveries with at least one request. */
  distinct: number;
  requests: number;
}

export function createArrivals({ run, alerts, webhooks }: ArrivalsRun): Arrivals {
  const deliveries = alerts * webhooks;
  return {
    run,
    webhooks,
    received: new Uint8Array(deliveries),
    rejected: new Uint8Array(deliveries),
    firstArrivalMs: new Float64Array(deliveries),
    distinct: 0,
    requests: 0,
  };
}

/**
 * Counts a request for the delivery with the delivery index `index`.
 * @throws Error if the run has no such delivery
 */
export function countArrival(arrivals: Arrivals, index: number, nowMs: number): void {
  arrivals.requests += 1;
  if (!(index < arrivals.received.length)) throw new Error(`Run ${arrivals.run} has no delivery ${index}.`);
  if (arrivals.received[index] === 0) {
    arrivals.distinct += 1;
    arrivals.firstArrivalMs[index] = nowMs;
  }
  if (arrivals.received[index]! < 255) arrivals.received[index]! += 1;
}
