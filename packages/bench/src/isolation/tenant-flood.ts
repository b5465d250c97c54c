import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForArrivals } from '../destination/start-destination.js';
import { startLoadGenerator } from '../load/start-load-generator.js';
import { readRetryDelays } from '../measure/retry-delays-reader.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { waitFor } from '../measure/wait-for.js';
import { type Fixtures, writeFixtures } from '../test-bed/fixtures.js';
import { createTestBed, type TestBed } from '../test-bed/test-bed.js';
import { countAlerts, countOpen } from './isolation-repository.js';

export interface TenantFloodResult {
  /**
   * Number of deliveries in the flood. All are for webhooks that do not exist, so that none is sent. `seconds` is the
   * time from the start of the flood until all its deliveries were committed.
   */
  deliveries: number;
  seconds: number;
  /**
   * Number of the flood's deliveries that were open when the last alert of the flood was committed. It should be 0,
   * because deliveries of webhooks that do not exist are written as failed.
   */
  open: number;
  /** Delays of another workspace's retries while the flood was written, in milliseconds. */
  retryDelays: Percentiles;
  retries: number;
  /**
   * Throughput of another workspace in deliveries per second, measured before the flood (`alone`), and after all alerts
   * of the flood were committed (`afterwards`).
   */
  alone: number;
  afterwards: number;
}

export interface TenantFloodOptions {
  /** Number of alerts in the flood. Each names 20 webhooks. */
  alerts: number;
  /** Number of workspaces that publish the flood at the same time. All publish the same number of alerts. */
  workspaces: number;
  print(line: string): void;
}

const webhooksPerAlert = 20;
const firstRetryMs = 1_000;
/** Load of the other workspace while the flood is written. The destination rejects one in 20 deliveries once. */
const healthyLoad = { webhooks: 3, alertsPerSecond: 100, maxAlerts: 60_000, rejectOneIn: 20 };
/** Number of alerts in each throughput measurement, and in the warm-up, during which V8 compiles the worker's code. */
const throughputAlerts = 10_000;
const warmUpAlerts = 10_000;
/**
 * Time between the end of the flood and the reading of the delays, in milliseconds. Workers can still send delayed
 * retries meanwhile.
 */
const lateRetriesMs = 3_000;

/**
 * Publishes alerts for webhooks that do not exist, as fast as the broker confirms them. The deliveries of such webhooks
 * are written as failed, so the flood loads fan-out and the database, but no destination. One worker serves the
 * flooding workspaces and one other workspace.
 * @throws Error if a delivery of the other workspace does not arrive
 */
export async function measureTenantFlood(options: TenantFloodOptions): Promise<TenantFloodResult> {
  const testBed = await createTestBed(options);
  try {
    const { database, destination, secretBox } = testBed;
    const urls = destination.urls(healthyLoad.webhooks);
    const fixtures = await writeFixtures(database, { secretBox, urls });
    // The limits for a flood (`limits.ts`) apply to an installation with one worker, so only one is started.
    await testBed.startWorkers(1, { env: { RETRY_SCHEDULE: `${firstRetryMs / 1_000}s,5s,10s` } });
    await measureThroughput(testBed, fixtures, warmUpAlerts);
    const alone = await measureThroughput(testBed, fixtures, throughputAlerts);
    const flooded = await runFlood(testBed, fixtures, options);
    const afterwards = await measureThroughput(testBed, fixtures, throughputAlerts);
    return { ...flooded, alone, afterwards };
  } finally {
    await testBed.kill();
  }
}

/** Returns the deliveries per second from the first publish to the last arrival. */
async function measureThroughput(testBed: TestBed, fixtures: Fixtures, alerts: number): Promise<number> {
  const { destination, generator, database } = testBed;
  const load = { run: testBed.nextRun(), alerts };
  const webhooks = fixtures.webhookIds.length;
  await destination.call('startRun', { ...load, webhooks });
  const { offeredAtMs } = await generator.call('publishAll', { ...load, target: fixtures });
  await waitForArrivals(destination, alerts * webhooks);
  const { firstArrivalMs } = await destination.call('arrivals', undefined);
  await waitUntilRecorded(database);
  const lastArrivalMs = firstArrivalMs.reduce((last, atMs) => Math.max(last, atMs), 0);
  return (alerts * webhooks * 1_000) / (lastArrivalMs - offeredAtMs[0]!);
}

type Flooded = Omit<TenantFloodResult, 'alone' | 'afterwards'>;

async function runFlood(
  testBed: TestBed,
  fixtures: Fixtures,
  { alerts, workspaces }: TenantFloodOptions,
): Promise<Flooded> {
  const { database, destination, generator, rabbitmq, nextRun } = testBed;
  const run = nextRun();
  const { webhooks, rejectOneIn, maxAlerts, alertsPerSecond } = healthyLoad;
  await destination.call('startRun', { run, alerts: maxAlerts, webhooks, rejectOneIn });
  await generator.call('start', { run, target: fixtures, alerts: maxAlerts, alertsPerSecond });
  await sleep(2 * firstRetryMs);

  const flooding = await startLoadGenerator(rabbitmq.url);
  const targets = Array.from({ length: workspaces }, () => ({
    workspaceId: randomUUID(),
    alertRuleId: randomUUID(),
  }));
  const workspaceIds = targets.map(({ workspaceId }) => workspaceId);
  const share = Math.floor(alerts / workspaces);
  const fromMs = Date.now();
  const publish = (target: (typeof targets)[number]) =>
    flooding.call('publishAll', {
      run: nextRun(),
      target,
      alerts: share,
      unknownWebhooks: webhooksPerAlert,
    });
  await Promise.all(targets.map(publish)).finally(() => flooding.stop());
  await waitFor({
    description: 'alerts of the flood are written',
    count: () => countAlerts(database, workspaceIds),
    isReached: (written) => written === share * workspaces,
    intervalMs: 250,
  });
  const toMs = Date.now();
  const open = await countOpen(database, workspaceIds);
  await generator.call('stop', run);
  const { offeredAtMs } = await generator.call('end', run);
  await sleep(lateRetriesMs);
  const delays = await readRetryDelays(database, { run, fromMs, toMs, scheduledMs: firstRetryMs });
  await waitForArrivals(destination, offeredAtMs.length * webhooks);
  await waitUntilRecorded(database);
  return {
    deliveries: share * workspaces * webhooksPerAlert,
    seconds: (toMs - fromMs) / 1_000,
    open,
    retryDelays: percentilesOf(delays),
    retries: delays.length,
  };
}

async function waitUntilRecorded(database: TestBed['database']): Promise<void> {
  await waitFor({
    description: 'deliveries have no outcome',
    count: () => countOpen(database),
    isReached: (open) => open === 0,
    intervalMs: 50,
  });
}
