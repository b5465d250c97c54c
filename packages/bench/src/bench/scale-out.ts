import type { CpuShares } from '../measure/process-usage.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { runAlerts } from './run-alerts.js';

export interface ScaleOutResult {
  workers: number;
  /** Throughput in deliveries per second. */
  perSecond: number;
  /** CPU time for each delivery by process, in microseconds. */
  cpuMicros: CpuShares;
}

export interface ScaleOutOptions {
  /** Numbers of workers to measure. */
  workers: readonly number[];
  alerts: number;
  webhooks: number;
}

/**
 * Measures the same load with different numbers of workers. If one worker already uses all cores of the machine, the
 * result shows the overhead of additional workers.
 */
export async function measureScaleOut(testBed: TestBed, options: ScaleOutOptions): Promise<ScaleOutResult[]> {
  const { alerts } = options;
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(options.webhooks) });
  const results: ScaleOutResult[] = [];
  for (const count of options.workers) {
    const { perSecond, cpuMicros } = await withWorkers(testBed, count, async (workers) => {
      await runAlerts(testBed, { fixtures, workers, alerts: Math.ceil(alerts / 5) });
      return runAlerts(testBed, { fixtures, workers, alerts });
    });
    results.push({ workers: count, perSecond, cpuMicros });
    testBed.print(`  ${count} workers: ${Math.round(perSecond)}/s`);
  }
  return results;
}
