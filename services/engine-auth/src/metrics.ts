import type { Metrics } from '@tocsin/kit';

/**
 * Way in which a key check got its result. `cached`: a cache shows that the key is valid. `cached_rejection`: a cache
 * shows that the key is invalid. `looked_up`: no cache contains a result, so the database is queried. The query can
 * also fail.
 */
export type KeyCheckResult = 'cached' | 'cached_rejection' | 'looked_up';

/** Metrics of key checks. No label contains a key or its id. */
export interface EngineMetrics {
  keyChecked(result: KeyCheckResult): void;
  /** Records the duration of one bcrypt call, without its time in the queue. */
  bcryptDone(seconds: number): void;
}

/**
 * Creates the metrics of key checks and bcrypt calls.
 * @param bcryptWaiting returns the number of waiting bcrypt calls; called at each scrape
 */
export function createEngineMetrics(
  metrics: Metrics,
  { bcryptWaiting }: { bcryptWaiting: () => number },
): EngineMetrics {
  const checks = metrics.counter('tocsin_key_checks_total', 'User keys checked, by source of the result.', [
    'result',
  ]);
  const bcrypt = metrics.histogram({
    name: 'tocsin_bcrypt_seconds',
    help: 'Duration of one bcrypt call, without its time in the queue.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  });
  metrics.gauge('tocsin_bcrypt_waiting', 'Key checks that wait for bcrypt.', [], (gauge) =>
    gauge.set(bcryptWaiting()),
  );
  return {
    keyChecked: (result) => checks.inc({ result }),
    bcryptDone: (seconds) => bcrypt.observe(seconds),
  };
}
