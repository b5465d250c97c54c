import type { Metrics } from '@tocsin/kit';
import { createBatchMetrics } from './batch-metrics.js';
import { createDeadLetterMetrics } from './dead-letters/dead-letter-metrics.js';
import { createDeliveryMetrics } from './delivery/delivery-metrics.js';
import { createDispatchMetrics } from './dispatch/dispatch-metrics.js';
import { createFanOutMetrics } from './fan-out/fan-out-metrics.js';
import { createLeaseMetrics } from './lease/lease-metrics.js';

/**
 * Creates all metrics of the worker. The values of each label come from a fixed list, and never contain a webhook, a
 * workspace or a URL. The functions in `read` are called at each scrape.
 */
export function createWorkerMetrics(
  metrics: Metrics,
  read: { inFlight: () => number; slots: number; isWritable: () => boolean; leads: () => boolean },
) {
  metrics.gauge('tocsin_in_flight', 'Requests in flight.', [], (gauge) => gauge.set(read.inFlight()));
  metrics.gauge('tocsin_slots', 'Maximum number of requests in flight (DELIVERY_SLOTS).').set(read.slots);
  const failures = metrics.counter('tocsin_messages_failed_total', 'Failures of messages that are retried.');
  return {
    messageFailed: () => failures.inc(),
    ...createFanOutMetrics(metrics),
    ...createDeadLetterMetrics(metrics),
    ...createBatchMetrics(metrics),
    ...createDeliveryMetrics(metrics),
    ...createDispatchMetrics(metrics, read.leads),
    ...createLeaseMetrics(metrics, read.isWritable),
  };
}
