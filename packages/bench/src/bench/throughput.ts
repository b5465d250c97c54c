import { type BareLoopResult, runBareLoop } from '../bare-loop/run-bare-loop.js';
import type { CpuShares } from '../measure/cpu-meter.js';
import { type Spread, spreadOf } from '../measure/statistics.js';
import { writeScene } from '../test-bed/fixtures-repository.js';
import type { Bench } from '../test-bed/test-bed.js';
import { type AlertsResult, runAlerts } from './run-alerts.js';

export interface ThroughputResult {
  alerts: number;
  webhooks: number;
  repeats: number;
  /** Deliveries a second from the first publish to the last record committed. */
  worker: Spread;
  /** The bare loop over a full queue, and over one that is being filled. */
  bareLoop: Spread;
  bareLoopWhilePublishing: number;
  /** Of the medians; against the bare loop over a full queue, which is the harder measure. */
  ratio: number;
  cpuMicros: { worker: CpuShares; bareLoop: CpuShares };
  runs: number[];
}

export interface ThroughputOptions {
  alerts: number;
  webhooks: number;
  repeats: number;
}

/** Worker and bare loop in turn, so that what the machine does meanwhile meets both. */
export async function measureThroughput(bench: Bench, options: ThroughputOptions): Promise<ThroughputResult> {
  const { alerts, webhooks, repeats } = options;
  const { stack, destination, load, secrets, say } = bench;
  const urls = Array.from({ length: webhooks }, (_, index) => destination.urlOf(index));
  const scene = await writeScene(stack.database, { secrets, urls });
  const bare = (messages: number, prefilled: boolean) =>
    runBareLoop({ stack, destination, load, run: bench.nextRun(), messages, prefilled });
  const workerRuns: AlertsResult[] = [];
  const bareRuns: BareLoopResult[] = [];
  await bare(Math.ceil((alerts * webhooks) / 5), true);
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const result = await bench.withWorkers(1, async (workers) => {
      await runAlerts(bench, { scene, workers, alerts: Math.ceil(alerts / 5) });
      return runAlerts(bench, { scene, workers, alerts });
    });
    workerRuns.push(result);
    const bareResult = await bare(alerts * webhooks, true);
    bareRuns.push(bareResult);
    say(`  worker ${Math.round(result.perSecond)}/s, bare loop ${Math.round(bareResult.perSecond)}/s`);
  }
  const whilePublishing = await bare(alerts * webhooks, false);
  const worker = spreadOf(workerRuns.map((run) => run.perSecond));
  const bareLoop = spreadOf(bareRuns.map((run) => run.perSecond));
  return {
    ...options,
    worker,
    bareLoop,
    bareLoopWhilePublishing: whilePublishing.perSecond,
    ratio: worker.median / bareLoop.median,
    cpuMicros: { worker: cpuOfMedian(workerRuns, worker), bareLoop: cpuOfMedian(bareRuns, bareLoop) },
    runs: workerRuns.map((run) => run.perSecond),
  };
}

function cpuOfMedian(runs: { perSecond: number; cpuMicros: CpuShares }[], { median }: Spread): CpuShares {
  return runs.find((run) => run.perSecond === median)?.cpuMicros ?? {};
}
