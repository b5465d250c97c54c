import { setTimeout as sleep } from 'node:timers/promises';
import { type Destination, startDestination, waitForArrivals } from '../destination/start-destination.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Fixtures, writeFixtures } from '../test-bed/fixtures-repository.js';
import { type HelperProcess, startHelper } from '../test-bed/helper-process.js';
import { createTestBed, type TestBed } from '../test-bed/test-bed.js';
import type { BlackholeCommands } from './blackhole-server-main.js';
import { deleteOpenDeliveries } from './isolation-repository.js';
import { worstTemplate } from './worst-template.js';

/** Webhooks of other workspaces that share the workers with the healthy ones. */
export interface NoisyNeighbours {
  name: string;
  kind: 'no webhooks' | 'hanging destination' | 'hanging name server' | 'expensive template';
  webhooks: number;
  deliveriesPerSecond: number;
}

/** Reference: the cost of the neighbours' alerts alone, without any delivery. */
export const alertsOnly: NoisyNeighbours = {
  name: 'as many alerts without webhooks',
  kind: 'no webhooks',
  webhooks: 0,
  deliveriesPerSecond: 500,
};

export const noisyNeighbours: NoisyNeighbours[] = [
  ...[1, 10, 100].map((webhooks) => ({
    name: `${webhooks} ${webhooks === 1 ? 'webhook' : 'webhooks'} with a hanging destination`,
    kind: 'hanging destination' as const,
    webhooks,
    deliveriesPerSecond: 500,
  })),
  {
    name: '100 webhooks with a hanging name server',
    kind: 'hanging name server',
    webhooks: 100,
    deliveriesPerSecond: 500,
  },
  {
    name: '1 webhook with the most expensive template',
    kind: 'expensive template',
    webhooks: 1,
    deliveriesPerSecond: 100,
  },
];

/** Latencies of healthy deliveries from publish to arrival, in milliseconds. */
export interface NoisyNeighboursResult {
  alone: Percentiles;
  withNeighbours: Percentiles;
  /** Number of healthy deliveries that arrived more than once. */
  repeated: number;
  /** Number of connections, name queries or requests of the neighbours that arrived. */
  neighbourRequests: number;
}

export interface MeasureOptions {
  /** Duration alone, and again with neighbours. */
  seconds: number;
  workers: number;
  print(line: string): void;
}

const healthyWebhooks = 10;
const healthyPerSecond = 500;
/** Limit of the API on webhooks of one rule. */
const maxWebhooksOfRule = 20;
/** V8 compiles most of the worker's code in this time, at a cost comparable to the deliveries. */
const warmUpSeconds = 20;
/** Duration of a neighbour of the same kind during the warm-up. Its open deliveries are deleted before the measurement. */
const warmUpNeighbourSeconds = 3;
const settleSeconds = 5;

/**
 * Publishes 500 healthy deliveries a second, first alone and then with neighbours. Both parts use the same workers and
 * follow each other directly, because the speed of a shared machine changes from minute to minute.
 * @throws Error when a healthy delivery does not arrive
 */
export async function measureNoisyNeighbours(
  neighbours: NoisyNeighbours,
  { seconds, workers, print }: MeasureOptions,
): Promise<NoisyNeighboursResult> {
  const testBed = await createTestBed({ print });
  const side = await startNeighbourSide();
  try {
    const { database, destination, secrets } = testBed;
    const healthy = await writeFixtures(database, { secrets, urls: destination.urls(healthyWebhooks) });
    const [warmUpGroup = { urls: [] }, ...groups] = await groupWebhooks(neighbours, side);
    const write = (group: WebhookGroup) => writeFixtures(database, { secrets, ...group });
    const warmUpNeighbour = await write(warmUpGroup);
    const noisy = await Promise.all(groups.map(write));
    await testBed.startWorkers(workers, { nodeOptions: await side.nodeOptions(neighbours) });

    const publishing = publishHealthy(testBed, healthy, warmUpSeconds + 2 * seconds);
    const alertsPerSecond = neighbours.deliveriesPerSecond / Math.max(1, neighbours.webhooks);
    await publish(testBed, warmUpNeighbour, {
      alertsPerSecond: neighbours.deliveriesPerSecond,
      seconds: warmUpNeighbourSeconds,
    });
    await sleep((warmUpSeconds - warmUpNeighbourSeconds - settleSeconds) * 1_000);
    await deleteOpenDeliveries(database, warmUpNeighbour.workspaceId);
    await sleep((settleSeconds + seconds) * 1_000);
    const before = await side.countRequests(neighbours);
    const publishingNoise = noisy.map((fixtures) => publish(testBed, fixtures, { alertsPerSecond, seconds }));
    const { latencies, repeated } = await publishing;
    await Promise.all(publishingNoise);
    const between = (fromSecond: number, toSecond: number) =>
      percentilesOf(latencies.slice(fromSecond * healthyPerSecond, toSecond * healthyPerSecond));
    return {
      alone: between(warmUpSeconds, warmUpSeconds + seconds),
      withNeighbours: between(warmUpSeconds + seconds, warmUpSeconds + 2 * seconds),
      repeated,
      neighbourRequests: (await side.countRequests(neighbours)) - before,
    };
  } finally {
    await side.stop();
    // Open deliveries to a hanging destination would delay the shutdown of the workers.
    await testBed.kill();
  }
}

/** Servers that receive the neighbours' requests. */
interface NeighbourSide {
  blackhole: HelperProcess<BlackholeCommands>;
  responding: Destination;
  nodeOptions(neighbours: NoisyNeighbours): Promise<string[]>;
  countRequests(neighbours: NoisyNeighbours): Promise<number>;
  stop(): Promise<void>;
}

async function startNeighbourSide(): Promise<NeighbourSide> {
  const blackhole = startHelper<BlackholeCommands>(import.meta.url, './blackhole-server-main.js');
  const responding = await startDestination();
  return {
    blackhole,
    responding,
    async nodeOptions({ kind }) {
      if (kind !== 'hanging name server') return [];
      const { nameServerPort } = await blackhole.call('listen', undefined);
      const override = new URL('./resolver-override-main.js', import.meta.url);
      override.searchParams.set('server', `127.0.0.1:${nameServerPort}`);
      return ['--import', override.href];
    },
    async countRequests({ kind }) {
      if (kind === 'expensive template') return (await responding.call('progress', undefined)).unexpected;
      const { connections, nameQueries } = await blackhole.call('counts', undefined);
      return kind === 'hanging name server' ? nameQueries : connections;
    },
    async stop() {
      await Promise.all([blackhole.stop(), responding.stop()]);
    },
  };
}

interface WebhookGroup {
  urls: string[];
  body?: string;
}

/** Returns the webhooks of the warm-up neighbour, followed by one group for each rule of the neighbours. */
async function groupWebhooks(
  { kind, webhooks }: NoisyNeighbours,
  { blackhole, responding }: NeighbourSide,
): Promise<WebhookGroup[]> {
  if (kind === 'no webhooks') return [{ urls: [] }, { urls: [] }];
  if (kind === 'expensive template') {
    const group = { urls: responding.urls(webhooks), body: worstTemplate };
    return [group, group];
  }
  const { port } = await blackhole.call('listen', undefined);
  const urlOf = (index: number) =>
    kind === 'hanging name server'
      ? `http://hangs-${index}.test:${port}/`
      : `http://127.0.0.1:${port}/${index}`;
  const urls = Array.from({ length: webhooks }, (_, index) => urlOf(index));
  const rules = Array.from({ length: Math.ceil(webhooks / maxWebhooksOfRule) }, (_, index) => ({
    urls: urls.slice(index * maxWebhooksOfRule, (index + 1) * maxWebhooksOfRule),
  }));
  return [{ urls: [urlOf(webhooks)] }, ...rules];
}

async function publish(
  testBed: TestBed,
  target: Fixtures,
  { alertsPerSecond, seconds }: { alertsPerSecond: number; seconds: number },
): Promise<void> {
  const alerts = Math.floor(alertsPerSecond * seconds);
  await testBed.generator.call('publishAll', { run: testBed.nextRun(), target, alerts, alertsPerSecond });
}

/** Returns latencies in milliseconds, in the order of publication. */
async function publishHealthy(
  testBed: TestBed,
  fixtures: Fixtures,
  seconds: number,
): Promise<{ latencies: Float64Array; repeated: number }> {
  const { destination, generator } = testBed;
  const run = testBed.nextRun();
  const webhooks = fixtures.webhookIds.length;
  const alertsPerSecond = healthyPerSecond / webhooks;
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
    latencies: firstArrivalMs.map((arrivedMs, slot) => arrivedMs - offeredAtMs[Math.floor(slot / webhooks)]!),
    repeated: received.filter((count) => count > 1).length,
  };
}
