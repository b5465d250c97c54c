import type { Metrics } from '@tocsin/kit';

/** How a check of a user key was answered: from the cache, or by the database (and bcrypt, unless it is known). */
export type KeyCheck = 'cached' | 'cached_refusal' | 'looked_up';

/** What engine-auth counts beside its HTTP requests and token checks; nothing is labelled by key. */
export interface EngineMetrics {
  keyChecked(answer: KeyCheck): void;
  /** Of one bcrypt, without its wait for a place. */
  bcryptTook(seconds: number): void;
}

/** `bcryptWaiting` is asked at each scrape. */
export function createEngineMetrics(
  metrics: Metrics,
  { bcryptWaiting }: { bcryptWaiting: () => number },
): EngineMetrics {
  const checks = metrics.counter('tocsin_key_checks_total', 'User keys judged, by where the answer was.', [
    'answer',
  ]);
  const bcrypt = metrics.histogram({
    name: 'tocsin_bcrypt_seconds',
    help: 'One bcrypt, without its wait for a place.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  });
  metrics.gauge('tocsin_bcrypt_waiting', 'Checks that wait for a place at bcrypt.', [], (gauge) =>
    gauge.set(bcryptWaiting()),
  );
  return {
    keyChecked: (answer) => checks.inc({ answer }),
    bcryptTook: (seconds) => bcrypt.observe(seconds),
  };
}
