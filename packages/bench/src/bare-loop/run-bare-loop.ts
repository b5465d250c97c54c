import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import { monotonicMs } from '../measure/clock.js';
import { type CpuShares, createCpuMeter } from '../measure/process-usage.js';
import { startHelper } from '../test-bed/helper-process.js';
import type { TestBed } from '../test-bed/test-bed.js';
import type { BareLoopCommands } from './bare-loop-main.js';
import { countBareRows, createBareTable } from './bare-loop-repository.js';

export interface BareLoopResult {
  messages: number;
  /** Throughput in deliveries per second. */
  perSecond: number;
  /** CPU time for each delivery by process, in microseconds. */
  cpuMicros: CpuShares;
  /** Time from the publish to the arrival at the destination for each message, in milliseconds. */
  latenciesMs: Float64Array;
}

export interface BareLoopOptions {
  messages: number;
  /**
   * If true, all messages are in the queue before the loop starts. If false, they are published while the loop runs, as
   * in the measurement of the worker.
   */
  prefilled: boolean;
  /** Publish rate in messages per second. By default, messages are published as fast as the broker confirms them. */
  perSecond?: number;
}

/**
 * Number of messages that are sent before a measurement at a fixed rate, so that V8 compiles the loop's code before the
 * measurement.
 */
const warmUpMessages = 1_000;
const queue = 'bench-bare';
const prefetch = 400;
const connections = 128;
/** Random ids. The workspace and the rule need not exist, because the bare loop does not look them up. */
const target = {
  workspaceId: '0d4ffb5c-7a3e-4b0e-8a57-3c7f7a0f6a01',
  alertRuleId: '0d4ffb5c-7a3e-4b0e-8a57-3c7f7a0f6a02',
};

/**
 * Runs the bare loop in a separate process and measures its throughput, CPU time and latency.
 * @throws Error if a message did not arrive exactly once, or has no row in the table
 */
export async function runBareLoop(testBed: TestBed, options: BareLoopOptions): Promise<BareLoopResult> {
  const { messages, prefilled, perSecond } = options;
  const { postgres, rabbitmq, database, destination, generator } = testBed;
  await createBareTable(database);
  await createQueue(rabbitmq.url);
  const loop = startHelper<BareLoopCommands>(import.meta.url, './bare-loop-main.js');
  const route = { exchange: '', routingKey: queue };
  const publish = async (count: number, alertsPerSecond: number | undefined) => {
    const run = testBed.nextRun();
    await destination.call('startRun', { run, alerts: count, webhooks: 1 });
    return generator.call('publishAll', { run, alerts: count, target, route, alertsPerSecond });
  };
  const start = () =>
    loop.call('start', {
      amqpUrl: rabbitmq.url,
      databaseUrl: postgres.url,
      queue,
      origin: destination.origin,
      prefetch,
      connections,
    });
  const written = async (count: number) => {
    while ((await loop.call('written', undefined)) < count) await sleep(10);
  };
  const warmUp = perSecond === undefined ? 0 : warmUpMessages;
  if (warmUp > 0) {
    await start();
    await publish(warmUp, 5 * perSecond!);
    await written(warmUp);
  }
  const published = prefilled ? await publish(messages, undefined) : undefined;
  const meter = createCpuMeter({
    postgres: postgres.pid(),
    rabbitmq: rabbitmq.pid(),
    loop: loop.pid,
    destination: destination.pid,
    generator: generator.pid,
  });
  const startedAtMs = monotonicMs();
  const publishing = published ?? publish(messages, perSecond);
  if (warmUp === 0) await start();
  await written(warmUp + messages);
  const seconds = (monotonicMs() - startedAtMs) / 1_000;
  const cpuMicros = meter.microsFor(messages);
  const { offeredAtMs } = await publishing;
  const { firstArrivalMs } = await destination.call('arrivals', undefined);
  await loop.call('stop', undefined);
  await loop.stop();
  await checkCounts(testBed, { arrived: messages, written: warmUp + messages });
  const latenciesMs = firstArrivalMs.map((arrivedMs, message) => arrivedMs - offeredAtMs[message]!);
  return { messages, perSecond: messages / seconds, cpuMicros, latenciesMs };
}

async function createQueue(amqpUrl: string): Promise<void> {
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  await channel.deleteQueue(queue);
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await connection.close();
}

async function checkCounts(
  { database, destination }: TestBed,
  expected: { arrived: number; written: number },
): Promise<void> {
  const arrived = await destination.call('progress', undefined);
  const stored = await countBareRows(database);
  const counts = [arrived.distinct, arrived.requests, stored.distinct];
  const wanted = [expected.arrived, expected.arrived, expected.written];
  if (counts.some((count, index) => count !== wanted[index]))
    throw new Error(`The bare loop's counts are wrong: ${JSON.stringify({ arrived, stored, expected })}`);
}
