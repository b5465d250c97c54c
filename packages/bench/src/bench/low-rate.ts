import { type BareLoopResult, runBareLoop } from '../bare-loop/run-bare-loop.js';
import { type CpuShares, sumOf } from '../measure/process-usage.js';
import { formatMs, type Percentiles, percentilesOf } from '../measure/statistics.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { type SteadyRates, warmUpPerSecond } from './latency.js';
import { type AlertsResult, runAlerts } from './run-alerts.js';

export interface LowRateResult {
  /** Requested rate in deliveries per second. */
  perSecond: number;
  worker: LowRateMeasurement;
  bareLoop: LowRateMeasurement;
}

interface LowRateMeasurement {
  /** CPU time for each delivery by process, in microseconds. */
  cpuMicros: CpuShares;
  /** Time from the publish to the arrival at the destination, in milliseconds. */
  latencyMs: Percentiles;
}

/**
 * Measures the CPU time and the latency of a delivery at low rates, for the worker (one webhook for each alert,
 * published over AMQP) and for the bare loop.
 */
export async function measureLowRate(testBed: TestBed, options: SteadyRates): Promise<LowRateResult[]> {
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(1) });
  const warmUp = { alerts: options.warmUpAlerts, alertsPerSecond: warmUpPerSecond };
  const results: LowRateResult[] = [];
  for (const perSecond of options.rates) {
    const messages = Math.ceil(perSecond * options.seconds);
    const worker = await withWorkers(testBed, 1, async (workers) => {
      await runAlerts(testBed, { fixtures, workers, ...warmUp });
      return runAlerts(testBed, { fixtures, workers, alerts: messages, alertsPerSecond: perSecond });
    });
    const bareLoop = await runBareLoop(testBed, { messages, prefilled: false, perSecond });
    const result = { perSecond, worker: measurementOf(worker), bareLoop: measurementOf(bareLoop) };
    results.push(result);
    const { cpuMicros, latencyMs } = result.worker;
    testBed.print(
      `  ${perSecond}/s: ${Math.round(sumOf(cpuMicros))} µs, p50 ${formatMs(latencyMs.p50)}, p99 ${formatMs(latencyMs.p99)}; bare loop ${Math.round(sumOf(result.bareLoop.cpuMicros))} µs`,
    );
  }
  return results;
}

function measurementOf({ cpuMicros, latenciesMs }: AlertsResult | BareLoopResult): LowRateMeasurement {
  return { cpuMicros, latencyMs: percentilesOf(latenciesMs) };
}
