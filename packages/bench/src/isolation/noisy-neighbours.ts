import { setTimeout as sleep } from 'node:timers/promises';
import { waitForArrivals } from '../destination/start-destination.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Fixtures, writeFixtures } from '../test-bed/fixtures.js';
import { createTestBed, type TestBed } from '../test-bed/test-bed.js';
import { deleteOpenDeliveries } from './isolation-repository.js';
import {
  groupWebhooks,
  type NoisyNeighbours,
  startNeighbourServers,
  type WebhookGroup,
} from './neighbour-kinds.js';

/** Latencies of healthy deliveries from the publish to the arrival, in milliseconds. */
export interface NoisyNeighboursResult {
  alone: Percentiles;
  withNeighbours: Percentiles;
  /** Number of healthy deliveries that arrived more than once. */
  repeated: number;
  /**
   * Number of requests of the neighbours: connections to a hanging destination, queries to a hanging name server, or
   * requests with an expensive template.
   */
  neighbourRequests: number;
}

export interface MeasureOptions {
  /** Duration of each of the two phases (alone, with neighbours), in seconds. */
  seconds: number;
  workers: number;
  print(line: string): void;
}

const healthyLoad = { webhooks: 10, deliveriesPerSecond: 500 };
/**
 * Warm-up before the measurement. Within 20 s, V8 compiles most of the worker's code, and the compilation needs as much
 * CPU time as the deliveries. In the first 3 s, one noisy neighbour is active. It has the same kind as the neighbours
 * in the measurement. Its open deliveries are deleted 5 s before the measurement.
 */
const warmUp = { seconds: 20, neighbourSeconds: 3, settleSeconds: 5 };

/**
 * Publishes alerts for 500 deliveries per second of one workspace, first alone and then with neighbours. Both phases
 * use the same workers and follow each other directly, because the speed of a shared machine changes within minutes.
 * @throws Error if one of these deliveries does not arrive
 */
export async function measureNoisyNeighbours(
  neighbours: NoisyNeighbours,
  { seconds, workers, print }: MeasureOptions,
): Promise<NoisyNeighboursResult> {
  const testBed = await createTestBed({ print });
  const servers = await startNeighbourServers();
  try {
    const { database, destination, secretBox } = testBed;
    const healthy = await writeFixtures(database, {
      secretBox,
      urls: destination.urls(healthyLoad.webhooks),
    });
    const [warmUpGroup = { urls: [] }, ...groups] = await groupWebhooks(neighbours, servers);
    const write = (group: WebhookGroup) => writeFixtures(database, { secretBox, ...group });
    const warmUpNeighbour = await write(warmUpGroup);
    const noisy = await Promise.all(groups.map(write));
    await testBed.startWorkers(workers, { nodeOptions: await servers.nodeOptions(neighbours) });

    const publishing = publishHealthy(testBed, healthy, warmUp.seconds + 2 * seconds);
    const alertsPerSecond = neighbours.deliveriesPerSecond / Math.max(1, neighbours.webhooks);
    await publish(testBed, warmUpNeighbour, {
      alertsPerSecond: neighbours.deliveriesPerSecond,
      seconds: warmUp.neighbourSeconds,
    });
    await sleep((warmUp.seconds - warmUp.neighbourSeconds - warmUp.settleSeconds) * 1_000);
    await deleteOpenDeliveries(database, warmUpNeighbour.workspaceId);
    await sleep((warmUp.settleSeconds + seconds) * 1_000);
    const before = await servers.countRequests(neighbours);
    const publishingNoise = noisy.map((fixtures) => publish(testBed, fixtures, { alertsPerSecond, seconds }));
    const { latencies, repeated } = await publishing;
    await Promise.all(publishingNoise);
    const between = (fromSecond: number, toSecond: number) =>
      percentilesOf(
        latencies.slice(
          fromSecond * healthyLoad.deliveriesPerSecond,
          toSecond * healthyLoad.deliveriesPerSecond,
        ),
      );
    return {
      alone: between(warmUp.seconds, warmUp.seconds + seconds),
      withNeighbours: between(warmUp.seconds + seconds, warmUp.seconds + 2 * seconds),
      repeated,
      neighbourRequests: (await servers.countRequests(neighbours)) - before,
    };
  } finally {
    await servers.stop();
    // The workers are killed, because a clean stop would wait for requests to a hanging destination.
    await testBed.kill();
  }
}

async function publish(
  testBed: TestBed,
  target: Fixtures,
  { alertsPerSecond, seconds }: { alertsPerSecond: number; seconds: number },
): Promise<void> {
  const alerts = Math.floor(alertsPerSecond * seconds);
  await testBed.generator.call('publishAll', { run: testBed.nextRun(), target, alerts, alertsPerSecond });
}

/**
 * Publishes the healthy alerts. Returns the latencies in milliseconds, in the order of publishing, and the number of
 * deliveries that arrived more than once.
 */
async function publishHealthy(
  testBed: TestBed,
  fixtures: Fixtures,
  seconds: number,
): Promise<{ latencies: Float64Array; repeated: number }> {
  const { destination, generator } = testBed;
  const run = testBed.nextRun();
  const webhooks = fixtures.webhookIds.length;
  const alertsPerSecond = healthyLoad.deliveriesPerSecond / webhooks;
  const alerts = Math.floor(alertsPerSecond * seconds);
  await destination.call('startRun', { run, alerts, webhooks });
  const { offeredAtMs } = await generator.call('publishAll', {
    run,
    target: fixtures,
    alerts,
    alertsPerSecond,
  });
  await waitForArrivals(destination, alerts * webhooks);
  const { firstArrivalMs, received } = await destination.call('arrivals', undefined);
  return {
    latencies: firstArrivalMs.map(
      (arrivedMs, index) => arrivedMs - offeredAtMs[Math.floor(index / webhooks)]!,
    ),
    repeated: received.filter((count) => count > 1).length,
  };
}
