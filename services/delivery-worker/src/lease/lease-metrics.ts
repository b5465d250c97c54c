import type { Metrics } from '@tocsin/kit';

/**
 * Creates the metrics of leases, and the gauge that shows if the database is writable. `isWritable` is called at each
 * scrape.
 */
export function createLeaseMetrics(metrics: Metrics, isWritable: () => boolean) {
  const expired = metrics.counter('tocsin_leases_expired_total', 'Deliveries whose lease expired.');
  metrics.gauge(
    'tocsin_database_writable',
    '0 if the worker has not been able to write to the database for ten seconds.',
    [],
    (gauge) => gauge.set(isWritable() ? 1 : 0),
  );
  return { leasesExpired: (count: number) => expired.inc(count) };
}

export type LeaseMetrics = ReturnType<typeof createLeaseMetrics>;
