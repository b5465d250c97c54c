import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { waitForArrivals } from '../destination/wait-for-arrivals.js';
import { monotonicMs } from '../measure/clock.js';
import { type CpuShares, createCpuMeter } from '../measure/cpu-meter.js';
import type { Scene } from '../test-bed/fixtures-repository.js';
import type { Service } from '../test-bed/start-service.js';
import type { Bench } from '../test-bed/test-bed.js';
import { isAnythingOpen, readOutcome } from './outcome-reader.js';

export interface AlertsRun {
  scene: Scene;
  workers: Service[];
  alerts: number;
  /** Alerts a second; undefined: as fast as confirms allow. */
  perSecond?: number;
}

export interface AlertsResult {
  alerts: number;
  deliveries: number;
  /** Deliveries a second, from the first publish to the last record committed. */
  perSecond: number;
  seconds: number;
  /** From the first publish until the last confirm. */
  publishSeconds: number;
  /** Microseconds of CPU for a delivery, by process. */
  cpuMicros: CpuShares;
  /** Publish to arrival, of each delivery, in milliseconds. */
  latenciesMs: Float64Array;
}

/** Fires alerts, waits until every delivery is recorded, and checks every count; throws where one is wrong. */
export async function runAlerts(bench: Bench, options: AlertsRun): Promise<AlertsResult> {
  const { stack, destination, load } = bench;
  const { scene, workers, alerts, perSecond } = options;
  const run = bench.nextRun();
  const webhooks = scene.webhookIds.length;
  const deliveries = alerts * webhooks;
  await destination.call('begin', { run, alerts, webhooks });
  const helpers = { destination: destination.pid, load: load.pid };
  // A second of grace: the worker's clock is ours, the record's time may be rounded.
  const sinceMs = Date.now() - 1_000;
  const meter = createCpuMeter({
    ...stack.pids,
    ...Object.fromEntries(workers.map((worker) => [worker.name, worker.pid])),
    ...helpers,
  });
  const publishing = load.call('publishAll', {
    run,
    alerts,
    workspaceId: scene.workspaceId,
    alertRuleId: scene.alertRuleId,
    exchange: alertsExchange,
    routingKey: alertFiredKey,
    perSecond,
  });
  await waitForArrivals(destination, deliveries);
  while (await isAnythingOpen(stack.database)) await sleep(5);
  const endedAtMs = monotonicMs();
  const cpuMicros = meter.microsFor(deliveries);
  const { publishedAtMs, confirmedAtMs } = await publishing;
  const seconds = (endedAtMs - publishedAtMs[0]!) / 1_000;
  const latenciesMs = await checkRun(bench, { run, sinceMs, alerts, deliveries, publishedAtMs });
  return {
    alerts,
    deliveries,
    perSecond: deliveries / seconds,
    seconds,
    publishSeconds: (confirmedAtMs - publishedAtMs[0]!) / 1_000,
    cpuMicros,
    latenciesMs,
  };
}

interface RunToCheck {
  run: number;
  sinceMs: number;
  alerts: number;
  deliveries: number;
  publishedAtMs: Float64Array;
}

/** Every (alert, webhook) arrived exactly once, and all that the contract promises of it is recorded. */
async function checkRun(
  { stack, destination }: Bench,
  { run, sinceMs, alerts, deliveries, publishedAtMs }: RunToCheck,
): Promise<Float64Array> {
  const { counts, arrivedAtMs, requests, webhooks } = await destination.call('tally', undefined);
  const { strays } = await destination.call('progress', undefined);
  const stored = await readOutcome(stack.database, { run, sinceMs });
  const wrong = [
    ...(counts.every((count) => count === 1) ? [] : ['not each (alert, webhook) arrived exactly once']),
    ...(requests === deliveries && strays === 0 ? [] : [`${requests} requests and ${strays} strays`]),
    ...(stored.alerts === alerts && stored.keys === alerts ? [] : ['alerts']),
    ...(stored.deliveries === deliveries && stored.succeeded === deliveries ? [] : ['deliveries']),
    ...(stored.attempts === deliveries && stored.soundAttempts === deliveries ? [] : ['attempts']),
    ...(stored.open === 0 && stored.deadLetters === 0 ? [] : ['something is left over']),
  ];
  if (wrong.length > 0)
    throw new Error(`Wrong counts (${wrong.join('; ')}) of ${deliveries}: ${JSON.stringify(stored)}`);
  return arrivedAtMs.map((arrivedMs, slot) => arrivedMs - publishedAtMs[Math.floor(slot / webhooks)]!);
}
