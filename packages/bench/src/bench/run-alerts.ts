import { setTimeout as sleep } from 'node:timers/promises';
import { waitForArrivals } from '../destination/start-destination.js';
import type { RestLoadResult } from '../load/rest-load.js';
import { monotonicMs } from '../measure/clock.js';
import { type CpuShares, createCpuMeter } from '../measure/process-usage.js';
import type { Fixtures } from '../test-bed/fixtures.js';
import type { ServiceProcess } from '../test-bed/services.js';
import type { TestBed } from '../test-bed/test-bed.js';
import { isAnythingOpen, readOutcome } from './outcome-reader.js';

export interface AlertsRun {
  fixtures: Fixtures;
  workers: ServiceProcess[];
  alerts: number;
  /**
   * Publish rate in alerts per second. By default, alerts are published as fast as the broker or the API confirms them.
   */
  alertsPerSecond?: number;
  /** If set, alerts are published over REST instead of AMQP. */
  rest?: RestPublishing;
}

export interface RestPublishing {
  /** The API process. */
  service: ServiceProcess;
  token: string;
  /** Number of alerts in a request. */
  batchSize: number;
  connections: number;
}

export interface AlertsResult {
  alerts: number;
  deliveries: number;
  /** Deliveries per second, from the first publish to the commit of the last record. */
  perSecond: number;
  seconds: number;
  /** Seconds from the first publish to the last confirm of the broker or the last response of the API. */
  publishSeconds: number;
  /** CPU time for each delivery by process, in microseconds. */
  cpuMicros: CpuShares;
  /** Time from the publish to the arrival of each delivery, in milliseconds. */
  latenciesMs: Float64Array;
  /** Duration of each request over REST, in milliseconds. Empty if alerts were published over AMQP. */
  requestMs: Float64Array;
}

/**
 * Publishes alerts and waits until every delivery is recorded.
 * @throws Error if a number of requests at the destination or of rows in the database is wrong
 */
export async function runAlerts(testBed: TestBed, options: AlertsRun): Promise<AlertsResult> {
  const { database, destination, generator } = testBed;
  const { fixtures, workers, alerts, rest } = options;
  const run = testBed.nextRun();
  const webhooks = fixtures.webhookIds.length;
  const deliveries = alerts * webhooks;
  await destination.call('startRun', { run, alerts, webhooks });
  // Lower bound of the times in the ids of this run's records. It is one second early, because ids contain whole
  // milliseconds of the database's clock, which can differ slightly from the clock of this process.
  const sinceMs = Date.now() - 1_000;
  const meter = createCpuMeter({
    postgres: testBed.postgres.pid(),
    rabbitmq: testBed.rabbitmq.pid(),
    ...Object.fromEntries(workers.map((worker) => [worker.name, worker.pid()])),
    ...(rest && { api: rest.service.pid() }),
    destination: destination.pid,
    generator: generator.pid,
  });
  const publishing = publish(testBed, run, options);
  await waitForArrivals(destination, deliveries);
  while (await isAnythingOpen(database)) await sleep(5);
  const recordedAtMs = monotonicMs();
  const cpuMicros = meter.microsFor(deliveries);
  const { offeredAtMs, requestMs, endedAtMs } = await publishing;
  const seconds = (recordedAtMs - offeredAtMs[0]!) / 1_000;
  const latenciesMs = await checkRun(testBed, { run, sinceMs, alerts, deliveries, offeredAtMs });
  return {
    alerts,
    deliveries,
    perSecond: deliveries / seconds,
    seconds,
    publishSeconds: (endedAtMs - offeredAtMs[0]!) / 1_000,
    cpuMicros,
    latenciesMs,
    requestMs,
  };
}

async function publish(
  { generator }: TestBed,
  run: number,
  { fixtures, alerts, alertsPerSecond, rest }: AlertsRun,
): Promise<RestLoadResult> {
  const load = { run, alerts, target: fixtures, alertsPerSecond };
  if (rest === undefined)
    return { ...(await generator.call('publishAll', load)), requestMs: new Float64Array() };
  const { service, token, batchSize, connections } = rest;
  const api = { url: service.httpUrl, token };
  return generator.call('publishOverRest', { ...load, api, batchSize, connections });
}

interface RunToCheck {
  run: number;
  sinceMs: number;
  alerts: number;
  deliveries: number;
  offeredAtMs: Float64Array;
}

/**
 * Checks that exactly one request arrived for every pair of an alert and a webhook, and that every delivery is recorded
 * completely. Returns the latency of each delivery in milliseconds.
 */
async function checkRun(
  { database, destination }: TestBed,
  { run, sinceMs, alerts, deliveries, offeredAtMs }: RunToCheck,
): Promise<Float64Array> {
  const { received, firstArrivalMs, requests, webhooks } = await destination.call('arrivals', undefined);
  const { unexpected } = await destination.call('progress', undefined);
  const stored = await readOutcome(database, { run, sinceMs });
  const problems = [
    ...(received.every((count) => count === 1) ? [] : ['not each (alert, webhook) arrived exactly once']),
    ...(requests === deliveries && unexpected === 0
      ? []
      : [`${requests} requests, ${unexpected} unexpected`]),
    ...(stored.alerts === alerts && stored.keys === alerts ? [] : ['alerts']),
    ...(stored.deliveries === deliveries && stored.succeeded === deliveries ? [] : ['deliveries']),
    ...(stored.attempts === deliveries && stored.soundAttempts === deliveries ? [] : ['attempts']),
    ...(stored.open === 0 && stored.deadLetters === 0 ? [] : ['open deliveries or dead letters']),
  ];
  if (problems.length > 0)
    throw new Error(`Wrong counts (${problems.join('; ')}) of ${deliveries}: ${JSON.stringify(stored)}`);
  return firstArrivalMs.map((arrivedMs, index) => arrivedMs - offeredAtMs[Math.floor(index / webhooks)]!);
}
