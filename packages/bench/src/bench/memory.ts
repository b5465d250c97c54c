import { readUsage } from '../measure/processes.js';
import { type Spread, spreadOf } from '../measure/statistics.js';
import { writeScene } from '../test-bed/fixtures-repository.js';
import type { Bench } from '../test-bed/test-bed.js';
import { runAlerts } from './run-alerts.js';

export interface MemoryResult {
  minutes: number;
  deliveries: number;
  /** Resident memory of one worker under full load, in megabytes: of the first and of the last fifth of the time. */
  firstFifthMb: Spread;
  lastFifthMb: Spread;
  /** One sample a second. */
  samplesMb: number[];
}

export interface MemoryOptions {
  minutes: number;
  alerts: number;
  webhooks: number;
}

/** Keeps one worker at full load and watches its memory. */
export async function measureMemory(bench: Bench, options: MemoryOptions): Promise<MemoryResult> {
  const { minutes, alerts, webhooks } = options;
  const { stack, secrets, destination, say } = bench;
  const urls = Array.from({ length: webhooks }, (_, index) => destination.urlOf(index));
  const scene = await writeScene(stack.database, { secrets, urls });
  return bench.withWorkers(1, async (workers) => {
    const samplesMb: number[] = [];
    const sample = () => samplesMb.push(readUsage(workers[0]!.pid).rssBytes / 1e6);
    const timer = setInterval(sample, 1_000);
    const endMs = performance.now() + minutes * 60_000;
    let deliveries = 0;
    try {
      do deliveries += (await runAlerts(bench, { scene, workers, alerts })).deliveries;
      while (performance.now() < endMs);
      sample();
    } finally {
      clearInterval(timer);
    }
    const fifth = Math.max(1, Math.floor(samplesMb.length / 5));
    const result = {
      minutes,
      deliveries,
      firstFifthMb: spreadOf(samplesMb.slice(0, fifth)),
      lastFifthMb: spreadOf(samplesMb.slice(-fifth)),
      samplesMb: samplesMb.map(Math.round),
    };
    const { median, max } = result.lastFifthMb;
    say(`  ${deliveries} deliveries: ${median.toFixed(0)} MB at the end, ${max.toFixed(0)} MB at the most`);
    return result;
  });
}
