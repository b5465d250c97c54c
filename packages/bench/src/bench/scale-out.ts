import type { CpuShares } from '../measure/cpu-meter.js';
import { writeScene } from '../test-bed/fixtures-repository.js';
import type { Bench } from '../test-bed/test-bed.js';
import { runAlerts } from './run-alerts.js';

export interface ScaleOutResult {
  workers: number;
  /** Deliveries a second. */
  perSecond: number;
  cpuMicros: CpuShares;
}

export interface ScaleOutOptions {
  workers: readonly number[];
  alerts: number;
  webhooks: number;
}

/** The same load for 1, 2 and 4 workers. On a machine that one worker fills, more of them show what they cost. */
export async function measureScaleOut(bench: Bench, options: ScaleOutOptions): Promise<ScaleOutResult[]> {
  const { stack, secrets, destination, say } = bench;
  const urls = Array.from({ length: options.webhooks }, (_, index) => destination.urlOf(index));
  const scene = await writeScene(stack.database, { secrets, urls });
  const results: ScaleOutResult[] = [];
  for (const count of options.workers) {
    const { perSecond, cpuMicros } = await bench.withWorkers(count, async (workers) => {
      await runAlerts(bench, { scene, workers, alerts: Math.ceil(options.alerts / 5) });
      return runAlerts(bench, { scene, workers, alerts: options.alerts });
    });
    results.push({ workers: count, perSecond, cpuMicros });
    say(`  ${count} workers: ${Math.round(perSecond)}/s`);
  }
  return results;
}
