import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { type Destination, startDestination } from '../destination/start-destination.js';
import { waitForArrivals } from '../destination/wait-for-arrivals.js';
import { alertIdOf } from '../load/alert-ids.js';
import { type Load, startLoad } from '../load/start-load.js';
import { monotonicMs } from '../measure/clock.js';
import { type Percentiles, percentilesOf } from '../measure/statistics.js';
import { waitFor } from '../measure/wait-for.js';
import { type Scene, writeScene } from '../test-bed/fixtures-repository.js';
import { type Helper, startHelper } from '../test-bed/helper-process.js';
import { type Bench, createBench } from '../test-bed/test-bed.js';
import { holdWebhooks, releaseWebhooks } from './pauses-repository.js';
import type { PublicationsCommands } from './publication-counter-main.js';
import { countDeliveries, countOpen, readTakenOver } from './storm-reader.js';

export interface StormResult {
  alerts: number;
  webhooks: number;
  /** From the storm's first alert until its last is confirmed, and until its last delivery is recorded. */
  publishSeconds: number;
  seconds: number;
  /** Of the other workspace's single alerts, from publish to arrival, in milliseconds; and until they were taken over. */
  quiet: Percentiles;
  quietTakenOver: Percentiles;
  /** (alert, webhook) of the storm that arrived more than once; where one does not arrive at all, measuring throws. */
  repeated: number;
  /** Times that a delivery was put into the queue once more; fault-free and claimed in time there are none. */
  publishedAgain: number;
  /** Those that had been claimed, and given back for want of a slot. */
  givenBack: number;
}

export interface StormOptions {
  alerts: number;
  webhooks: number;
  workers: number;
  /** The storm's deliveries are held back until all its alerts are in, so that they make one backlog. */
  held: boolean;
  say: (line: string) => void;
}

/** One workspace fires as fast as confirms allow, while another fires one alert a second. */
export async function measureStorm(options: StormOptions): Promise<StormResult> {
  const { alerts, webhooks, workers, held, say } = options;
  const bench = await createBench({ say, profile: false });
  const other = await startDestination();
  const noise = await startLoad(bench.stack.amqpUrl);
  const publications = startHelper<PublicationsCommands>(import.meta.url, './publication-counter-main.js');
  try {
    const { database, amqpUrl } = bench.stack;
    await publications.call('listen', { amqpUrl });
    const urls = Array.from({ length: webhooks }, (_, index) => other.urlOf(index));
    const stormy = await writeScene(database, { secrets: bench.secrets, urls });
    const quiet = await writeScene(database, { secrets: bench.secrets, urls: [bench.destination.urlOf(0)] });
    const run = bench.nextRun();
    return await bench.withWorkers(workers, async () => {
      await warmUp({ bench, other, noise, scene: stormy });
      await other.call('begin', { run, alerts, webhooks });
      await publications.call('forget', undefined);
      if (held) await holdWebhooks(database, stormy.webhookIds);
      const startedAtMs = performance.now();
      const storm = async () => {
        const loaded = await noise.call('publishAll', {
          run,
          alerts,
          workspaceId: stormy.workspaceId,
          alertRuleId: stormy.alertRuleId,
          exchange: alertsExchange,
          routingKey: alertFiredKey,
        });
        if (held) await releaseBacklog(bench, { scene: stormy, rows: alerts * webhooks });
        await waitForArrivals(other, alerts * webhooks);
        return loaded;
      };
      const [{ publishedAtMs, confirmedAtMs }, whispers] = await whisperDuring(storm, {
        bench,
        scene: quiet,
      });
      await waitUntilRecorded(bench);
      const seconds = (performance.now() - startedAtMs) / 1_000;
      const { counts } = await other.call('tally', undefined);
      if (held) await heardOf(publications, alerts * webhooks);
      const { published, runs } = await publications.call('counts', undefined);
      return {
        alerts,
        webhooks,
        publishSeconds: (confirmedAtMs - publishedAtMs[0]!) / 1_000,
        seconds,
        quiet: percentilesOf(whispers.map(({ arrivedMs }) => arrivedMs)),
        quietTakenOver: percentilesOf(await takenOverAfter(bench, quiet, whispers)),
        repeated: counts.filter((count) => count > 1).length,
        publishedAgain: published - runs,
        givenBack: (await countDeliveries(database, stormy.workspaceId)).givenBack,
      };
    });
  } finally {
    await Promise.all([noise.stop(), publications.stop(), other.stop()]);
    await bench.stop();
  }
}

const warmUpAlerts = 3_000;

interface WarmUp {
  bench: Bench;
  other: Destination;
  noise: Load;
  scene: Scene;
}

/** A worker that has just been started is compiled while it works; that is not what is measured. */
async function warmUp({ bench, other, noise, scene }: WarmUp): Promise<void> {
  const run = bench.nextRun();
  const webhooks = scene.webhookIds.length;
  await other.call('begin', { run, alerts: warmUpAlerts, webhooks });
  await noise.call('publishAll', {
    run,
    alerts: warmUpAlerts,
    workspaceId: scene.workspaceId,
    alertRuleId: scene.alertRuleId,
    exchange: alertsExchange,
    routingKey: alertFiredKey,
  });
  await waitForArrivals(other, warmUpAlerts * webhooks);
  await waitUntilRecorded(bench);
}

interface Whisper {
  alertId: string;
  publishedAtMs: number;
  /** After it was published. */
  arrivedMs: number;
}

const whispersAtMost = 3_600;

interface Whispering {
  bench: Bench;
  scene: Scene;
}

/** One alert a second for as long as `work` takes; what that gave, and how long each alert took to arrive. */
async function whisperDuring<T>(
  work: () => Promise<T>,
  { bench, scene }: Whispering,
): Promise<[T, Whisper[]]> {
  let ended = false;
  const working = work().finally(() => {
    ended = true;
  });
  const whisperOn = async (): Promise<Whisper[]> => {
    const whispers: Whisper[] = [];
    while (whispers.length < whispersAtMost && !ended) whispers.push(await whisper({ bench, scene }));
    return whispers;
  };
  const whispering = whisperOn();
  // Where one fails, the other still needs what is stopped then.
  await Promise.allSettled([working, whispering]);
  return [await working, await whispering];
}

/** Takes a second at least. */
async function whisper({ bench, scene }: Whispering): Promise<Whisper> {
  const { destination, load } = bench;
  const run = bench.nextRun();
  await destination.call('begin', { run, alerts: 1, webhooks: 1 });
  const publishing = load.call('publishAll', {
    run,
    alerts: 1,
    workspaceId: scene.workspaceId,
    alertRuleId: scene.alertRuleId,
    exchange: alertsExchange,
    routingKey: alertFiredKey,
  });
  const [{ publishedAtMs }] = await Promise.all([publishing, sleep(1_000)]);
  await waitForArrivals(destination, 1);
  const { arrivedAtMs } = await destination.call('tally', undefined);
  const publishedMs = publishedAtMs[0]!;
  return {
    alertId: alertIdOf(run, 0),
    publishedAtMs: publishedMs,
    arrivedMs: arrivedAtMs[0]! - publishedMs,
  };
}

/** Whoever has heard nothing has heard of nothing twice: a backlog leaves through the queue, all of it. */
async function heardOf(publications: Helper<PublicationsCommands>, rows: number): Promise<void> {
  await waitFor({
    what: `of ${rows} deliveries were heard of in the queue`,
    count: async () => (await publications.call('counts', undefined)).deliveries,
    isReached: (deliveries) => deliveries >= rows,
    everyMs: 50,
  });
}

async function takenOverAfter({ stack }: Bench, scene: Scene, whispers: Whisper[]): Promise<number[]> {
  const takenOver = await readTakenOver(stack.database, scene.workspaceId);
  const unixMs = Date.now() - monotonicMs();
  return whispers.map(({ alertId, publishedAtMs }) => takenOver.get(alertId)! - unixMs - publishedAtMs);
}

async function releaseBacklog(
  { stack, say }: Bench,
  { scene, rows }: { scene: Scene; rows: number },
): Promise<void> {
  await waitFor({
    what: `of ${rows} rows are waiting`,
    count: () => countOpen(stack.database),
    isReached: (open) => open >= rows,
    everyMs: 250,
  });
  say(`  ${rows} rows are waiting`);
  await releaseWebhooks(stack.database, scene.webhookIds);
}

async function waitUntilRecorded({ stack }: Bench): Promise<void> {
  await waitFor({
    what: 'deliveries have no outcome',
    count: () => countOpen(stack.database),
    isReached: (open) => open === 0,
    everyMs: 50,
  });
}
