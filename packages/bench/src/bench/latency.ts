import { formatMs, type Percentiles, percentilesOf } from '../measure/statistics.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { runAlerts } from './run-alerts.js';

export interface LatencyResult {
  /** Requested rate in deliveries per second. */
  perSecond: number;
  deliveries: number;
  /** Time from the publish to the arrival at the destination, in milliseconds. */
  latencyMs: Percentiles;
}

export interface SteadyRates {
  /** Rates in deliveries per second. Each one is measured separately. */
  rates: readonly number[];
  /** Duration of the measurement at each rate. */
  seconds: number;
  /**
   * Number of alerts that a worker processes before it is measured. V8 compiles the code of a delivery in stages, and a
   * delivery needs a third more CPU time until the last stage is complete, which takes about 20,000 alerts.
   */
  warmUpAlerts: number;
}

/** Rate at which the alerts of the warm-up are published, in alerts per second. */
export const warmUpPerSecond = 2_000;

/** Measures the latency at several steady rates. Each alert has one webhook. */
export async function measureLatency(testBed: TestBed, options: SteadyRates): Promise<LatencyResult[]> {
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(1) });
  return withWorkers(testBed, 1, async (workers) => {
    const results: LatencyResult[] = [];
    await runAlerts(testBed, {
      fixtures,
      workers,
      alerts: options.warmUpAlerts,
      alertsPerSecond: warmUpPerSecond,
    });
    for (const perSecond of options.rates) {
      const alerts = Math.ceil(perSecond * options.seconds);
      const load = { fixtures, workers, alerts, alertsPerSecond: perSecond };
      const { deliveries, latenciesMs } = await runAlerts(testBed, load);
      const latencyMs = percentilesOf(latenciesMs);
      results.push({ perSecond, deliveries, latencyMs });
      testBed.print(`  ${perSecond}/s: p50 ${formatMs(latencyMs.p50)}, p99 ${formatMs(latencyMs.p99)}`);
    }
    return results;
  });
}
