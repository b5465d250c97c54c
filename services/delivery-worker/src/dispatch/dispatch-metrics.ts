import type { Metrics } from '@tocsin/kit';
import type { Backlog } from './dispatch-repository.js';

export function createDispatchMetrics(metrics: Metrics) {
  const putBacks = metrics.counter('tocsin_put_back_total', 'Deliveries whose lease ran out.');
  const ready = metrics.gauge('tocsin_queue_ready', 'Messages ready in the deliveries queue.');
  const due = metrics.gauge(
    'tocsin_deliveries_due',
    'Deliveries that are due and wait for a place in the queue.',
  );
  const overdue = metrics.gauge(
    'tocsin_deliveries_overdue',
    'Of these, due for more than a minute although their webhook is not held back.',
  );
  const oldest = metrics.gauge(
    'tocsin_oldest_due_seconds',
    'How long the oldest of them has been due whose webhook is not held back.',
  );
  const held = metrics.gauge(
    'tocsin_webhooks_held',
    'Webhooks held back: by an open circuit, or because the destination asked for it.',
    ['reason'],
  );
  return {
    putBack: (count: number) => putBacks.inc(count),
    /** What is not known is NaN: a figure of before would be taken for one of now. */
    backlog(seen: Backlog & { ready: number }) {
      ready.set(seen.ready);
      due.set(seen.due);
      overdue.set(seen.overdue);
      oldest.set(seen.oldestDueSeconds);
      held.set({ reason: 'circuit' }, seen.openCircuits);
      held.set({ reason: 'retry_after' }, seen.retryAfters);
    },
  };
}

export type DispatchMetrics = ReturnType<typeof createDispatchMetrics>;
