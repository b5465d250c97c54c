import { type Destination, startDestination, waitForArrivals } from '../destination/start-destination.js';
import { type LoadGenerator, startLoadGenerator } from '../load/start-load-generator.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { waitFor } from '../measure/wait-for.js';
import { type Fixtures, writeFixtures } from '../test-bed/fixtures.js';
import { type HelperProcess, startHelper } from '../test-bed/helper-process.js';
import { createTestBed, type TestBed, withWorkers } from '../test-bed/test-bed.js';
import {
  countClaimsWithoutAttempt,
  countOpen,
  pauseWebhooks,
  resumeWebhooks,
} from './isolation-repository.js';
import type { PublicationCounterCommands } from './publication-counter-main.js';
import { probeDuring } from './single-alert-probe.js';

export interface StormResult {
  alerts: number;
  webhooks: number;
  /** Seconds from the storm's first publish to its last broker confirm. */
  publishSeconds: number;
  /** Seconds from the storm's first publish to the record of its last delivery. */
  seconds: number;
  /**
   * Latencies of another workspace's single alerts, from the publish to the arrival at the destination, in
   * milliseconds.
   */
  singleAlerts: Percentiles;
  /** Latencies of another workspace's single alerts, from the publish to the acceptance time, in milliseconds. */
  singleAlertAccepts: Percentiles;
  /** Number of deliveries of the storm that arrived more than once. */
  repeated: number;
  /**
   * Number of publications to the queue of deliveries that repeat an earlier one: the same delivery with the same run.
   * It is 0 if each delivery is claimed before the lease of its queued row expires.
   */
  publishedAgain: number;
  /** Number of claims that ended without an attempt, for example because no slot became free in time. */
  releasedClaims: number;
}

export interface StormOptions {
  alerts: number;
  webhooks: number;
  workers: number;
  /** True to pause the storm's webhooks until all its alerts are committed, so that its deliveries form one backlog. */
  asBacklog: boolean;
  print(line: string): void;
}

interface Storm {
  testBed: TestBed;
  /**
   * Load generator and destination of the storm. The single alerts of the other workspace have a generator and a
   * destination of their own, so that they do not wait for the storm.
   */
  generator: LoadGenerator;
  destination: Destination;
  publications: HelperProcess<PublicationCounterCommands>;
  fixtures: Fixtures;
}

/**
 * Publishes alerts of one workspace as fast as the broker confirms them, while another workspace publishes one alert
 * per second.
 * @throws Error if a delivery does not arrive or is not recorded
 */
export async function measureStorm(options: StormOptions): Promise<StormResult> {
  const testBed = await createTestBed({ print: options.print });
  const { database, secretBox, rabbitmq } = testBed;
  const destination = await startDestination();
  const generator = await startLoadGenerator(rabbitmq.url);
  const publications = startHelper<PublicationCounterCommands>(
    import.meta.url,
    './publication-counter-main.js',
  );
  try {
    await publications.call('listen', { amqpUrl: rabbitmq.url });
    const fixtures = await writeFixtures(database, { secretBox, urls: destination.urls(options.webhooks) });
    const probed = await writeFixtures(database, { secretBox, urls: testBed.destination.urls(1) });
    const storm: Storm = { testBed, generator, destination, publications, fixtures };
    const work = async () => {
      await warmUp(storm);
      return runStorm(storm, { ...options, probed });
    };
    return await withWorkers(testBed, options.workers, work, { env: highLimits });
  } finally {
    await Promise.all([generator.stop(), publications.stop(), destination.stop()]);
    await testBed.stop();
  }
}

/**
 * Limits on open deliveries that no storm reaches. Above the limit of a webhook, deliveries are recorded as failed.
 * Above the limit of a workspace, alerts get no deliveries.
 */
const highLimits = { MAX_OPEN_PER_WEBHOOK: '10000000', MAX_OPEN_DELIVERIES: '10000000' };

const warmUpAlerts = 3_000;

/**
 * Sends deliveries through the new workers before the measurement, because V8 compiles a worker's code during its first
 * deliveries.
 */
async function warmUp({ testBed, generator, destination, fixtures }: Storm): Promise<void> {
  const load = { run: testBed.nextRun(), alerts: warmUpAlerts };
  const webhooks = fixtures.webhookIds.length;
  await destination.call('startRun', { ...load, webhooks });
  await generator.call('publishAll', { ...load, target: fixtures });
  await waitForArrivals(destination, warmUpAlerts * webhooks);
  await waitUntilRecorded(testBed);
}

async function runStorm(
  { testBed, generator, destination, publications, fixtures }: Storm,
  { alerts, webhooks, asBacklog, probed }: StormOptions & { probed: Fixtures },
): Promise<StormResult> {
  const { database } = testBed;
  const load = { run: testBed.nextRun(), alerts };
  const deliveries = alerts * webhooks;
  await destination.call('startRun', { ...load, webhooks });
  await publications.call('reset', undefined);
  if (asBacklog) await pauseWebhooks(database, fixtures.webhookIds);
  const startedAtMs = performance.now();
  const deliverAll = async () => {
    const result = await generator.call('publishAll', { ...load, target: fixtures });
    if (asBacklog) await resumeBacklog(testBed, fixtures, deliveries);
    await waitForArrivals(destination, deliveries);
    return result;
  };
  const [{ offeredAtMs, endedAtMs }, probes] = await probeDuring(deliverAll, { testBed, fixtures: probed });
  await waitUntilRecorded(testBed);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const { received } = await destination.call('arrivals', undefined);
  if (asBacklog) await waitForPublications(publications, deliveries);
  const { published, runs } = await publications.call('counts', undefined);
  return {
    alerts,
    webhooks,
    publishSeconds: (endedAtMs - offeredAtMs[0]!) / 1_000,
    seconds,
    singleAlerts: percentilesOf(probes.arrivalMs),
    singleAlertAccepts: percentilesOf(probes.acceptMs),
    repeated: received.filter((count) => count > 1).length,
    publishedAgain: published - runs,
    releasedClaims: await countClaimsWithoutAttempt(database, fixtures.workspaceId),
  };
}

async function resumeBacklog(testBed: TestBed, { webhookIds }: Fixtures, rows: number): Promise<void> {
  const { database } = testBed;
  await waitFor({
    description: `of ${rows} rows are waiting`,
    count: () => countOpen(database),
    isReached: (open) => open >= rows,
    intervalMs: 250,
  });
  testBed.print(`  ${rows} rows are waiting`);
  await resumeWebhooks(database, webhookIds);
}

/**
 * Waits until the counter has counted each delivery of the backlog. Each of them is published to the queue of
 * deliveries at least once.
 */
async function waitForPublications(
  publications: HelperProcess<PublicationCounterCommands>,
  rows: number,
): Promise<void> {
  await waitFor({
    description: `of ${rows} deliveries were published`,
    count: async () => (await publications.call('counts', undefined)).deliveries,
    isReached: (deliveries) => deliveries >= rows,
    intervalMs: 50,
  });
}

async function waitUntilRecorded({ database }: TestBed): Promise<void> {
  await waitFor({
    description: 'deliveries have no outcome',
    count: () => countOpen(database),
    isReached: (open) => open === 0,
    intervalMs: 50,
  });
}
