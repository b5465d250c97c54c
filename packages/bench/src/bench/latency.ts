import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { writeScene } from '../test-bed/fixtures-repository.js';
import type { Bench } from '../test-bed/test-bed.js';
import { runAlerts } from './run-alerts.js';

export interface LatencyResult {
  /** Deliveries asked for in a second. */
  perSecond: number;
  deliveries: number;
  /** From the call that publishes to the arrival at the destination, in milliseconds. */
  latencyMs: Percentiles;
}

export interface LatencyOptions {
  rates: readonly number[];
  seconds: number;
}

/** Publish to arrival at steady rates, evenly spaced, one webhook for each alert. */
export async function measureLatency(bench: Bench, options: LatencyOptions): Promise<LatencyResult[]> {
  const { stack, secrets, destination, say } = bench;
  const scene = await writeScene(stack.database, { secrets, urls: [destination.urlOf(0)] });
  return bench.withWorkers(1, async (workers) => {
    const results: LatencyResult[] = [];
    await runAlerts(bench, { scene, workers, alerts: 2_000, perSecond: 500 });
    for (const perSecond of options.rates) {
      const alerts = Math.ceil(perSecond * options.seconds);
      const { deliveries, latenciesMs } = await runAlerts(bench, { scene, workers, alerts, perSecond });
      const latencyMs = percentilesOf(latenciesMs);
      results.push({ perSecond, deliveries, latencyMs });
      say(`  ${perSecond}/s: p50 ${latencyMs.p50.toFixed(1)} ms, p99 ${latencyMs.p99.toFixed(1)} ms`);
    }
    return results;
  });
}
