import type { Metrics } from '@tocsin/kit';
import { createBatchMetrics } from './batch-metrics.js';
import { createDeadLetterMetrics } from './dead-letters/dead-letter-metrics.js';
import { createDeliveryMetrics } from './delivery/delivery-metrics.js';
import { createDispatchMetrics } from './dispatch/dispatch-metrics.js';
import { createFanOutMetrics } from './fan-out/fan-out-metrics.js';

/**
 * What the worker counts. Labels are closed lists; nothing is labelled by webhook, workspace or url. `inFlight` is asked
 * at each scrape.
 */
export function createWorkerMetrics(metrics: Metrics, read: { inFlight: () => number; slots: number }) {
  metrics.gauge('tocsin_in_flight', 'Requests under way.', [], (gauge) => gauge.set(read.inFlight()));
  metrics.gauge('tocsin_slots', 'Requests that may be under way.').set(read.slots);
  const failures = metrics.counter(
    'tocsin_messages_failed_total',
    'Times that a message failed for no fault of its own; it is tried again.',
  );
  return {
    messageFailed: () => failures.inc(),
    ...createFanOutMetrics(metrics),
    ...createDeadLetterMetrics(metrics),
    ...createBatchMetrics(metrics),
    ...createDeliveryMetrics(metrics),
    ...createDispatchMetrics(metrics),
  };
}
