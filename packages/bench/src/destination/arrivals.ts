/** What arrived of one run. */
export interface Tally {
  run: number;
  webhooks: number;
  /** Arrivals by `alert * webhooks + webhook`. */
  counts: Uint8Array;
  /** Of the first arrival, on the machine's monotonic clock in milliseconds; in the same order. */
  arrivedAtMs: Float64Array;
  /** How many of `counts` are above zero, and how many requests came in all. */
  distinct: number;
  requests: number;
  lastArrivalMs: number;
}

export function createTally({
  run,
  alerts,
  webhooks,
}: {
  run: number;
  alerts: number;
  webhooks: number;
}): Tally {
  return {
    run,
    webhooks,
    counts: new Uint8Array(alerts * webhooks),
    arrivedAtMs: new Float64Array(alerts * webhooks),
    distinct: 0,
    requests: 0,
    lastArrivalMs: 0,
  };
}

export function countArrival(tally: Tally, slot: number, nowMs: number): void {
  tally.requests += 1;
  tally.lastArrivalMs = nowMs;
  if (!(slot < tally.counts.length)) throw new Error(`Nothing of run ${tally.run} has the number ${slot}.`);
  if (tally.counts[slot] === 0) {
    tally.distinct += 1;
    tally.arrivedAtMs[slot] = nowMs;
  }
  if (tally.counts[slot]! < 255) tally.counts[slot]! += 1;
}
