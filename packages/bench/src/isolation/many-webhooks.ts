import { setTimeout as sleep } from 'node:timers/promises';
import { waitForArrivals } from '../destination/start-destination.js';
import { startLoadGenerator } from '../load/start-load-generator.js';
import { readRetryDelays } from '../measure/retry-delays-reader.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { waitFor } from '../measure/wait-for.js';
import { type Fixtures, writeFixtures } from '../test-bed/fixtures.js';
import { createTestBed, type TestBed } from '../test-bed/test-bed.js';
import { countAlerts, countUnretried, insertDueDeliveries } from './isolation-repository.js';

export interface ManyWebhooksOptions {
  workspaces: number;
  webhooksPerWorkspace: number;
  deliveriesPerWebhook: number;
  /** If false, no server listens at the URLs of the many webhooks, so every request to them fails. */
  responds: boolean;
  /**
   * - `insert`: the deliveries are inserted into the database, due at the same time.
   * - `publish`: alerts for the many webhooks are published as fast as possible.
   */
  source: 'insert' | 'publish';
  workers: number;
  print(line: string): void;
}

export interface ManyWebhooksResult {
  webhooks: number;
  /** Number of deliveries that were inserted or published. */
  deliveries: number;
  /**
   * Throughput: deliveries per second, from the end of the insertion (or from the first publish) until each of them has
   * been attempted or has ended.
   */
  perSecond: number;
  /** Delays of the retries of another workspace during the measurement, in milliseconds. */
  retryDelays: Percentiles;
  retries: number;
}

/**
 * The first retry is due after 1 s, so that the workspace whose retries are measured has retries during the whole
 * measurement. The second retry is due only after the measurement, so it adds no load.
 */
const retrySchedule = '1s,10m';
const firstRetryMs = 1_000;
/**
 * Load of the workspace whose retries are measured: 15 deliveries per second. The destination rejects one in 5 of them
 * once. Most first attempts are claimed at write, so only the 3 retries per second take part in the dispatcher's round
 * robin by workspace. With 500 workspaces and 2,000 deliveries per second, the equal share of a workspace is 4
 * deliveries per second. The retries are below this share, so the round robin need not delay them.
 */
const healthyLoad = { webhooks: 3, alertsPerSecond: 5, maxAlerts: 60_000, rejectOneIn: 5 };
const lateRetriesMs = 3_000;
/**
 * Body template of the many webhooks. The body contains no alert id. The destination therefore cannot assign the
 * request to a run, and counts it as unexpected.
 */
const uncountedBody = '{"alert": "{{ alert_rule_name }}"}';

/**
 * Creates deliveries for many webhooks of many workspaces at the same time. Measures the delays of another workspace's
 * retries until each of the created deliveries has been attempted.
 */
export async function measureManyWebhooks(options: ManyWebhooksOptions): Promise<ManyWebhooksResult> {
  const { workspaces, webhooksPerWorkspace, deliveriesPerWebhook, responds, source, workers } = options;
  const testBed = await createTestBed(options);
  try {
    const { database, destination, generator, secretBox } = testBed;
    const healthy = await writeFixtures(database, {
      secretBox,
      urls: destination.urls(healthyLoad.webhooks),
    });
    const url = responds ? destination.urlOf(0) : 'http://127.0.0.1:9/';
    const urls = Array<string>(webhooksPerWorkspace).fill(url);
    const targets: Fixtures[] = [];
    for (let count = 0; count < workspaces; count += 1)
      targets.push(await writeFixtures(database, { secretBox, urls, body: uncountedBody }));
    const workspaceIds = targets.map(({ workspaceId }) => workspaceId);
    await testBed.startWorkers(workers, { env: { RETRY_SCHEDULE: retrySchedule } });

    const run = testBed.nextRun();
    const { webhooks, rejectOneIn, maxAlerts, alertsPerSecond } = healthyLoad;
    await destination.call('startRun', { run, alerts: maxAlerts, webhooks, rejectOneIn });
    await generator.call('start', { run, target: healthy, alerts: maxAlerts, alertsPerSecond });
    await sleep(2 * firstRetryMs);
    if (source === 'insert') await insertDueDeliveries(database, { workspaceIds, deliveriesPerWebhook });
    const fromMs = Date.now();
    if (source === 'publish') await publishAlerts(testBed, targets, deliveriesPerWebhook);
    await waitFor({
      description: 'deliveries of many webhooks were not tried',
      count: () => countUnretried(database, workspaceIds),
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

/**
 * Publishes `alerts` alerts for each of `targets`, for all targets at the same time. Resolves when workers have
 * committed all of them.
 */
async function publishAlerts(
  { database, rabbitmq, nextRun }: TestBed,
  targets: Fixtures[],
  alerts: number,
): Promise<void> {
  const generator = await startLoadGenerator(rabbitmq.url);
  try {
    await Promise.all(
      targets.map((target) => generator.call('publishAll', { run: nextRun(), target, alerts })),
    );
  } finally {
    await generator.stop();
  }
  const workspaceIds = targets.map(({ workspaceId }) => workspaceId);
  await waitFor({
    description: 'alerts of many webhooks were not written',
    count: () => countAlerts(database, workspaceIds),
    isReached: (written) => written === targets.length * alerts,
    intervalMs: 250,
  });
}
