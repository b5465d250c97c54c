import { type BareLoopResult, runBareLoop } from '../bare-loop/run-bare-loop.js';
import type { CpuShares } from '../measure/process-usage.js';
import { type Spread, spreadOf } from '../measure/statistics.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { type AlertsResult, runAlerts } from './run-alerts.js';

export interface ThroughputResult {
  alerts: number;
  webhooks: number;
  repeats: number;
  /** Deliveries per second, from the first publish to the commit of the last record. */
  worker: Spread;
  /** Deliveries per second of the bare loop, from a queue that contains all messages at the start. */
  bareLoop: Spread;
  /** Deliveries per second of the bare loop, from a queue that is filled during the measurement. */
  bareLoopWhilePublishing: number;
  /** Median throughput of the worker divided by the median throughput of the bare loop. */
  ratio: number;
  /** CPU time for each delivery by process in the median runs, in microseconds. */
  cpuMicros: { worker: CpuShares; bareLoop: CpuShares };
  runs: number[];
  /**
   * Results for alerts with one webhook: deliveries per second, the ratio to the bare loop, and the CPU time of the
   * median run.
   */
  oneWebhook: { worker: Spread; ratio: number; cpuMicros: CpuShares };
}

export interface ThroughputOptions {
  alerts: number;
  webhooks: number;
  repeats: number;
}

/**
 * Measures the worker and the bare loop (a minimal consumer for comparison, `bare-loop-main.ts`) alternately, so that a
 * slow phase of the machine affects both.
 */
export async function measureThroughput(
  testBed: TestBed,
  options: ThroughputOptions,
): Promise<ThroughputResult> {
  const { alerts, webhooks, repeats } = options;
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(webhooks) });
  const single = await writeFixtures(database, { secretBox, urls: destination.urls(1) });
  const messages = alerts * webhooks;
  const workerRuns: AlertsResult[] = [];
  const singleRuns: AlertsResult[] = [];
  const bareRuns: BareLoopResult[] = [];
  await runBareLoop(testBed, { messages: Math.ceil(messages / 5), prefilled: true });
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    await withWorkers(testBed, 1, async (workers) => {
      await runAlerts(testBed, { fixtures, workers, alerts: Math.ceil(alerts / 5) });
      workerRuns.push(await runAlerts(testBed, { fixtures, workers, alerts }));
      singleRuns.push(await runAlerts(testBed, { fixtures: single, workers, alerts }));
    });
    const bareResult = await runBareLoop(testBed, { messages, prefilled: true });
    bareRuns.push(bareResult);
    const [worker, one] = [workerRuns, singleRuns].map((runs) => Math.round(runs.at(-1)!.perSecond));
    testBed.print(
      `  worker ${worker}/s, with one webhook ${one}/s, bare loop ${Math.round(bareResult.perSecond)}/s`,
    );
  }
  const whilePublishing = await runBareLoop(testBed, { messages, prefilled: false });
  const worker = spreadOf(workerRuns.map((run) => run.perSecond));
  const bareLoop = spreadOf(bareRuns.map((run) => run.perSecond));
  const one = spreadOf(singleRuns.map((run) => run.perSecond));
  return {
    ...options,
    worker,
    bareLoop,
    bareLoopWhilePublishing: whilePublishing.perSecond,
    ratio: worker.median / bareLoop.median,
    cpuMicros: { worker: cpuOfMedian(workerRuns, worker), bareLoop: cpuOfMedian(bareRuns, bareLoop) },
    runs: workerRuns.map((run) => run.perSecond),
    oneWebhook: {
      worker: one,
      ratio: one.median / bareLoop.median,
      cpuMicros: cpuOfMedian(singleRuns, one),
    },
  };
}

function cpuOfMedian(runs: { perSecond: number; cpuMicros: CpuShares }[], { median }: Spread): CpuShares {
  return runs.find((run) => run.perSecond === median)?.cpuMicros ?? {};
}
