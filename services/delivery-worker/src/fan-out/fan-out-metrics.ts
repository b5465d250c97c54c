import type { AlertOutcome } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';

export function createFanOutMetrics(metrics: Metrics) {
  const alerts = metrics.counter('tocsin_alerts_total', 'Accepted alerts by outcome.', ['outcome']);
  const width = metrics.histogram({
    name: 'tocsin_fan_out_webhooks',
    help: 'Number of webhooks of each accepted alert.',
    buckets: [0, 1, 2, 5, 10, 20],
  });
  const overQuota = metrics.counter(
    'tocsin_over_quota_total',
    'Alerts (workspace) and deliveries (webhook) recorded as over_quota because of a limit on open deliveries.',
    ['limit'],
  );
  // Series that alarms watch start at 0, because a counter that first appears with the value 1 shows no increase.
  for (const limit of ['workspace', 'webhook']) overQuota.inc({ limit }, 0);
  return {
    alertFannedOut({ outcome, webhooks }: { outcome: AlertOutcome; webhooks: number }) {
      alerts.inc({ outcome });
      width.observe(webhooks);
      if (outcome === 'over_quota') overQuota.inc({ limit: 'workspace' });
    },
    webhookOverQuota: () => overQuota.inc({ limit: 'webhook' }),
  };
}

export type FanOutMetrics = ReturnType<typeof createFanOutMetrics>;
