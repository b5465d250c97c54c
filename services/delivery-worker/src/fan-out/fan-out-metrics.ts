import type { AlertOutcome } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';

export function createFanOutMetrics(metrics: Metrics) {
  const alerts = metrics.counter('tocsin_alerts_total', 'Alerts accepted, by what became of them.', [
    'outcome',
  ]);
  const width = metrics.histogram({
    name: 'tocsin_fan_out_webhooks',
    help: 'Webhooks of an alert.',
    buckets: [0, 1, 2, 5, 10, 20],
  });
  return {
    alertFannedOut({ outcome, webhooks }: { outcome: AlertOutcome; webhooks: number }) {
      alerts.inc({ outcome });
      width.observe(webhooks);
    },
  };
}

export type FanOutMetrics = ReturnType<typeof createFanOutMetrics>;
