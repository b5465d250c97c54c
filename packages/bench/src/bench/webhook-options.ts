import type { CpuShares } from '../measure/process-usage.js';
import { type Spread, spreadOf } from '../measure/statistics.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { type TestBed, withWorkers } from '../test-bed/test-bed.js';
import { type AlertsResult, runAlerts } from './run-alerts.js';

/** Throughput with one set of webhook options. */
export interface WebhookOptionsResult {
  /** Options of the webhooks in words, for example "signing". */
  options: string;
  /** Deliveries per second. */
  perSecond: Spread;
  /** CPU time for each delivery by process in the median run, in microseconds. */
  cpuMicros: CpuShares;
}

/**
 * Each alert calls 20 webhooks, and each webhook has a rate limit of 1,000 requests per second. These are the API's
 * maximum values. The rate limits together allow 20,000 requests per second. The one worker of this measurement sends
 * fewer, so no limit is reached.
 */
const webhooks = 20;
const rateLimit = { requests: 1_000, periodMs: 1_000 };
const optionSets = [
  { options: 'no options', fixtures: {} },
  { options: 'signing', fixtures: { signing: true } },
  { options: 'rate limits', fixtures: { rateLimit } },
  { options: 'signing and rate limits', fixtures: { signing: true, rateLimit } },
];

/**
 * Measures webhooks that sign their requests or have a rate limit, alternately with webhooks without options. No limit
 * is reached, so the results show the cost of the options themselves. Deliveries of webhooks with a rate limit are not
 * claimed at write. The dispatcher claims and starts them.
 */
export async function measureWebhookOptions(
  testBed: TestBed,
  { deliveries, repeats }: { deliveries: number; repeats: number },
): Promise<WebhookOptionsResult[]> {
  const { database, secretBox, destination } = testBed;
  const alerts = Math.ceil(deliveries / webhooks);
  const urls = destination.urls(webhooks);
  const sets = await Promise.all(
    optionSets.map(async ({ options, fixtures }) => ({
      options,
      fixtures: await writeFixtures(database, { secretBox, urls, ...fixtures }),
      runs: [] as AlertsResult[],
    })),
  );
  for (let repeat = 0; repeat < repeats; repeat += 1)
    for (const { options, fixtures, runs } of sets) {
      const run = await withWorkers(testBed, 1, async (workers) => {
        await runAlerts(testBed, { fixtures, workers, alerts: Math.ceil(alerts / 5) });
        return runAlerts(testBed, { fixtures, workers, alerts });
      });
      runs.push(run);
      testBed.print(`  ${options}: ${Math.round(run.perSecond)}/s`);
    }
  return sets.map(({ options, runs }) => {
    const perSecond = spreadOf(runs.map((run) => run.perSecond));
    const median = runs.find((run) => run.perSecond === perSecond.median);
    return { options, perSecond, cpuMicros: median?.cpuMicros ?? {} };
  });
}
