import type { Metrics } from '@tocsin/kit';
import type { Backlog } from './backlog-reader.js';

/** Creates the metrics of dispatching. `leads` is called for each scrape. */
export function createDispatchMetrics(metrics: Metrics, leads: () => boolean) {
  metrics.gauge('tocsin_leader', '1 in the worker that dispatches for all workers.', [], (gauge) =>
    gauge.set(leads() ? 1 : 0),
  );
  const passes = metrics.counter('tocsin_dispatch_passes_total', 'Passes of the dispatcher.');
  const ready = metrics.gauge('tocsin_queue_ready', 'Messages ready in the deliveries queue.');
  const due = metrics.gauge(
    'tocsin_deliveries_due',
    'Deliveries that are due and wait for the queue; at most 10,000 of a workspace and 50,000 in all are counted.',
  );
  const overdue = metrics.gauge(
    'tocsin_deliveries_overdue',
    'Counted deliveries that have been due for more than a minute. Their webhooks are not paused and have no rate limit.',
  );
  const oldest = metrics.gauge(
    'tocsin_oldest_due_seconds',
    'Longest time that a delivery has been due. Paused webhooks and webhooks with a rate limit are not included.',
  );
  const paused = metrics.gauge(
    'tocsin_webhooks_paused',
    'Webhooks that are paused by a circuit that was open within the last ten minutes, or at the request of their destination.',
    ['reason'],
  );
  return {
    dispatchPassed: () => passes.inc(),
    /** Removes the gauges of the backlog, because another worker is the leader and reports them. */
    noBacklog() {
      for (const gauge of [ready, due, overdue, oldest]) gauge.remove();
      paused.reset();
    },
    /** A value that could not be read is NaN, so that the metric does not keep its previous value. */
    backlog(seen: Backlog & { ready: number }) {
      ready.set(seen.ready);
      due.set(seen.due);
      overdue.set(seen.overdue);
      oldest.set(seen.oldestDueSeconds);
      paused.set({ reason: 'circuit' }, seen.openCircuits);
      paused.set({ reason: 'retry_after' }, seen.retryAfters);
    },
  };
}

export type DispatchMetrics = ReturnType<typeof createDispatchMetrics>;
