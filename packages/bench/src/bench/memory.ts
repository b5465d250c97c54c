import { readUsage } from '../measure/process-usage.js';
import { type Spread, spreadOf } from '../measure/statistics.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { runAlerts } from './run-alerts.js';

export interface MemoryResult {
  minutes: number;
  deliveries: number;
  /** Resident memory of one worker in the first and in the last fifth of the samples, in megabytes. */
  firstFifthMb: Spread;
  lastFifthMb: Spread;
  /** Resident memory in megabytes, sampled once a second. */
  samplesMb: number[];
}

export interface MemoryOptions {
  minutes: number;
  alerts: number;
  webhooks: number;
}

/** Samples the memory of one worker under full load. */
export async function measureMemory(testBed: TestBed, options: MemoryOptions): Promise<MemoryResult> {
  const { minutes, alerts } = options;
  const { database, secretBox, destination } = testBed;
  const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(options.webhooks) });
  return withWorkers(testBed, 1, async (workers) => {
    const samplesMb: number[] = [];
    const sample = () => samplesMb.push(readUsage(workers[0]!.pid()).rssBytes / 1e6);
    const timer = setInterval(sample, 1_000);
    const endMs = performance.now() + minutes * 60_000;
    let deliveries = 0;
    try {
      do deliveries += (await runAlerts(testBed, { fixtures, workers, alerts })).deliveries;
      while (performance.now() < endMs);
      sample();
    } finally {
      clearInterval(timer);
    }
    const fifth = Math.max(1, Math.floor(samplesMb.length / 5));
    const lastFifthMb = spreadOf(samplesMb.slice(-fifth));
    const { median, max } = lastFifthMb;
    testBed.print(
      `  ${deliveries} deliveries: ${median.toFixed(0)} MB at the end, at most ${max.toFixed(0)} MB`,
    );
    return {
      minutes,
      deliveries,
      firstFifthMb: spreadOf(samplesMb.slice(0, fifth)),
      lastFifthMb,
      samplesMb: samplesMb.map(Math.round),
    };
  });
}
