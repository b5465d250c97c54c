import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, SecretBox } from '@tocsin/database';
import { insertWebhook } from '@tocsin/testing/database';
import { waitForArrivals } from '../destination/start-destination.js';
import { readRetryDelays } from '../measure/retry-delays-reader.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { waitFor } from '../measure/wait-for.js';
import { writeFixtures } from '../test-bed/fixtures.js';
import { createTestBed } from '../test-bed/test-bed.js';
import { countUntried, insertDueDeliveries } from './isolation-repository.js';

export interface ManyWebhooksOptions {
  workspaces: number;
  webhooksPerWorkspace: number;
  deliveriesPerWebhook: number;
  /** False if no server listens at the URL of these webhooks. */
  responds: boolean;
  workers: number;
  print(line: string): void;
}

export interface ManyWebhooksResult {
  webhooks: number;
  /** Number of deliveries that became due at the same time. */
  deliveries: number;
  /** Deliveries per second that were attempted or ended, from the time at which all became due. */
  perSecond: number;
  /** Delays of the retries of another workspace during the measurement, in milliseconds. */
  retryDelays: Percentiles;
  retries: number;
}

/**
 * The first retry is due after 1 s, so that the other workspace always has retries. The second retry is due after the
 * measurement.
 */
const retrySchedule = '1s,10m';
const firstRetryMs = 1_000;
/**
 * Load of the other workspace. One of 5 deliveries is rejected once, which gives 3 retries a second. With 500 other
 * workspaces and 2,000 deliveries a second, the equal share of a workspace is 4 a second.
 */
const healthyLoad = { webhooks: 3, alertsPerSecond: 5, maxAlerts: 60_000, rejectOneIn: 5 };
const lateRetriesMs = 3_000;

/**
 * Makes deliveries for many webhooks of many workspaces due at the same time, and measures the delay of another
 * workspace's retries.
 */
export async function measureManyWebhooks(options: ManyWebhooksOptions): Promise<ManyWebhooksResult> {
  const { workspaces, webhooksPerWorkspace, deliveriesPerWebhook, responds, workers } = options;
  const testBed = await createTestBed(options);
  try {
    const { database, destination, generator, secrets } = testBed;
    const healthy = await writeFixtures(database, { secrets, urls: destination.urls(healthyLoad.webhooks) });
    const url = responds ? destination.urlOf(0) : 'http://127.0.0.1:9/';
    const workspaceIds = Array.from({ length: workspaces }, () => randomUUID());
    for (const workspaceId of workspaceIds)
      await insertWebhooks(database, { workspaceId, url, count: webhooksPerWorkspace, secrets });
    await testBed.startWorkers(workers, { env: { RETRY_SCHEDULE: retrySchedule } });

    const run = testBed.nextRun();
    const { webhooks, rejectOneIn, maxAlerts, alertsPerSecond } = healthyLoad;
    await destination.call('startRun', { run, alerts: maxAlerts, webhooks, rejectOneIn });
    await generator.call('start', { run, target: healthy, alerts: maxAlerts, alertsPerSecond });
    await sleep(2 * firstRetryMs);
    await insertDueDeliveries(database, { workspaceIds, deliveriesPerWebhook });
    const fromMs = Date.now();
    await waitFor({
      description: 'deliveries of many webhooks were not tried',
      count: () => countUntried(database, workspaceIds),
      isReached: (untried) => untried === 0,
      intervalMs: 250,
    });
    const toMs = Date.now();
    await generator.call('stop', run);
    const { offeredAtMs } = await generator.call('end', run);
    await sleep(lateRetriesMs);
    const delays = await readRetryDelays(database, { run, fromMs, toMs, scheduledMs: firstRetryMs });
    await waitForArrivals(destination, offeredAtMs.length * webhooks);
    const deliveries = workspaces * webhooksPerWorkspace * deliveriesPerWebhook;
    return {
      webhooks: workspaces * webhooksPerWorkspace,
      deliveries,
      perSecond: (deliveries * 1_000) / (toMs - fromMs),
      retryDelays: percentilesOf(delays),
      retries: delays.length,
    };
  } finally {
    await testBed.kill();
  }
}

async function insertWebhooks(
  database: Database,
  {
    workspaceId,
    url,
    count,
    secrets,
  }: { workspaceId: string; url: string; count: number; secrets: SecretBox },
): Promise<void> {
  const insert = () => insertWebhook(database, { workspaceId, url, secretBox: secrets });
  await Promise.all(Array.from({ length: count }, insert));
}
