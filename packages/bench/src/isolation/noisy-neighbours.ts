import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { waitForArrivals } from '../destination/wait-for-arrivals.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { type Scene, writeScene } from '../test-bed/fixtures-repository.js';
import { startHelper } from '../test-bed/helper-process.js';
import { startWorker } from '../test-bed/start-worker.js';
import { type Bench, createBench } from '../test-bed/test-bed.js';
import type { SilentCommands } from './blackhole-server-main.js';
import { forgetOpen } from './pauses-repository.js';

/** Those that the healthy ones share their workers with; 500 deliveries a second in each case. */
export interface Neighbours {
  name: string;
  /** Webhooks whose destination hangs; with none, as many alerts as for one call nobody. */
  webhooks: number;
  /** True where it is not the destination that hangs, but the name server that is asked for it. */
  byName: boolean;
}

/** What the alerts themselves cost a machine that broker, database, workers and this suite share. */
export const nobody: Neighbours = {
  name: 'beside as many alerts that call nobody',
  webhooks: 0,
  byName: false,
};

export const neighbourhoods: Neighbours[] = [
  { name: 'beside 1 webhook that hangs', webhooks: 1, byName: false },
  { name: 'beside 10 webhooks that hang', webhooks: 10, byName: false },
  { name: 'beside 100 webhooks that hang', webhooks: 100, byName: false },
  { name: 'beside 100 webhooks whose name servers hang', webhooks: 100, byName: true },
];

/** The time from publish to arrival of healthy deliveries, in milliseconds. */
export interface NeighboursResult {
  alone: Percentiles;
  beside: Percentiles;
  /** Of the healthy deliveries, those that arrived more than once; where one does not arrive, measuring throws. */
  repeated: number;
  /** What reached the side that hangs. */
  met: { connections: number; questions: number };
}

const healthyWebhooks = 10;
const deliveriesPerSecond = 500;
/** A rule calls 20 at the most. */
const webhooksInRule = 20;
/** What a worker does day by day is compiled by then: in the first seconds that takes as much as the deliveries. */
const warmSeconds = 20;
/** Something that hangs has been met before, too: a neighbour of the same kind, gone again before it counts. */
const warmNeighbourSeconds = 3;
const settleSeconds = 5;

/**
 * 500 healthy deliveries a second, for some time alone and as long beside their neighbours: with the same workers and
 * within the same minute, for a machine may be half as fast in the next.
 */
export async function measureBeside(
  { webhooks, byName }: Neighbours,
  { seconds, workers, say }: { seconds: number; workers: number; say: (line: string) => void },
): Promise<NeighboursResult> {
  const bench = await createBench({ say, profile: false });
  const silent = startHelper<SilentCommands>(import.meta.url, './blackhole-server-main.js');
  try {
    const { port, namesPort } = await silent.call('listen', undefined);
    const { stack, destination, secrets } = bench;
    const urls = Array.from({ length: healthyWebhooks }, (_, index) => destination.urlOf(index));
    const healthy = await writeScene(stack.database, { secrets, urls });
    const urlOf = (index: number) =>
      byName ? `http://hangs-${index}.test:${port}/` : `http://127.0.0.1:${port}/${index}`;
    const hanging = Array.from({ length: webhooks }, (_, index) => urlOf(index));
    const groups = webhooks === 0 ? [[]] : inRules(hanging);
    const write = (group: string[]) => writeScene(stack.database, { secrets, urls: group });
    const scenes = await Promise.all(groups.map(write));
    const former = await write(webhooks === 0 ? [] : [urlOf(webhooks)]);
    const nodeOptions = byName ? askNameServer(namesPort) : [];
    await Promise.all(
      Array.from({ length: workers }, (_, index) =>
        startWorker(stack, { name: `worker-${index + 1}`, secretsKeys: bench.secretsKeys, nodeOptions }),
      ),
    );
    const publishing = publishHealthy(bench, healthy, warmSeconds + 2 * seconds);
    const publishAll = (pace: ReturnType<typeof paceOf>) =>
      bench.load.call('publishAll', { run: bench.nextRun(), ...pace });
    await publishAll(paceOf(former, Math.min(1, webhooks), warmNeighbourSeconds));
    await sleep((warmSeconds - warmNeighbourSeconds - settleSeconds) * 1_000);
    await forgetOpen(stack.database, former.workspaceId);
    await sleep((settleSeconds + seconds) * 1_000);
    await silent.call('met', undefined);
    const noises = scenes.map((scene) => publishAll(paceOf(scene, webhooks, seconds)));
    const { latencies, repeated } = await publishing;
    await Promise.all(noises);
    const between = (fromSecond: number, toSecond: number) =>
      percentilesOf(latencies.slice(fromSecond * deliveriesPerSecond, toSecond * deliveriesPerSecond));
    return {
      alone: between(warmSeconds, warmSeconds + seconds),
      beside: between(warmSeconds + seconds, warmSeconds + 2 * seconds),
      repeated,
      met: await silent.call('met', undefined),
    };
  } finally {
    await Promise.all([silent, bench.load, bench.destination].map((helper) => helper.stop()));
    // What hangs is still owed, and would keep workers from ending well: they go with the rest.
    await bench.stack.database.close();
    await bench.stack.processes.killAll();
    bench.stack.processes.close();
  }
}

function askNameServer(port: number): string[] {
  const names = new URL('./resolver-override-main.js', import.meta.url);
  names.searchParams.set('server', `127.0.0.1:${port}`);
  return ['--import', names.href];
}

/** Each of the webhooks has the same share of the deliveries, whatever rule it belongs to. */
function paceOf(scene: Scene, webhooks: number, seconds: number) {
  const perSecond = deliveriesPerSecond / Math.max(1, webhooks);
  return {
    alerts: Math.floor(perSecond * seconds),
    workspaceId: scene.workspaceId,
    alertRuleId: scene.alertRuleId,
    exchange: alertsExchange,
    routingKey: alertFiredKey,
    perSecond,
  };
}

/** Latencies stand in the order in which they were published. */
async function publishHealthy(
  { destination, load, nextRun }: Bench,
  scene: Scene,
  seconds: number,
): Promise<{ latencies: Float64Array; repeated: number }> {
  const run = nextRun();
  const webhooks = scene.webhookIds.length;
  const pace = paceOf(scene, webhooks, seconds);
  await destination.call('begin', { run, alerts: pace.alerts, webhooks });
  const { publishedAtMs } = await load.call('publishAll', { run, ...pace });
  await waitForArrivals(destination, pace.alerts * webhooks);
  const { arrivedAtMs, counts } = await destination.call('tally', undefined);
  return {
    latencies: arrivedAtMs.map((arrivedMs, slot) => arrivedMs - publishedAtMs[Math.floor(slot / webhooks)]!),
    repeated: counts.filter((count) => count > 1).length,
  };
}

function inRules(urls: string[]): string[][] {
  return Array.from({ length: Math.ceil(urls.length / webhooksInRule) }, (_, index) =>
    urls.slice(index * webhooksInRule, (index + 1) * webhooksInRule),
  );
}
