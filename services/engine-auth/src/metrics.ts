import type { Metrics } from '@tocsin/kit';

/** Source of a check's result: the cache of valid keys, the cache of rejected ones, or the database. */
export type KeyCheck = 'cached' | 'cached_rejection' | 'looked_up';

/** Metrics of key checks. No label names a key. */
export interface EngineMetrics {
  keyChecked(result: KeyCheck): void;
  /** Records the duration of one bcrypt call, without its wait for a thread. */
  bcryptDone(seconds: number): void;
}

/** @param bcryptWaiting called at each scrape */
export function createEngineMetrics(
  metrics: Metrics,
  { bcryptWaiting }: { bcryptWaiting: () => number },
): EngineMetrics {
  const checks = metrics.counter('tocsin_key_checks_total', 'User keys checked, by source of the result.', [
    'result',
  ]);
  const bcrypt = metrics.histogram({
    name: 'tocsin_bcrypt_seconds',
    help: 'Duration of one bcrypt call without its wait.',
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
