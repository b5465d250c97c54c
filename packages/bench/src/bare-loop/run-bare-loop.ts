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
  /** Throughput in deliveries a second. */
  perSecond: number;
  /** Microseconds of CPU for each delivery, by process. */
  cpuMicros: CpuShares;
}

export interface BareLoopOptions {
  messages: number;
  /** True: the queue is full before the loop starts. False: it is filled during the measurement, as for the worker. */
  prefilled: boolean;
}

const queue = 'bench-bare';
const prefetch = 400;
const connections = 128;
/** Ids of a workspace and a rule that do not exist; the bare loop does not look them up. */
const target = {
  workspaceId: '0d4ffb5c-7a3e-4b0e-8a57-3c7f7a0f6a01',
  alertRuleId: '0d4ffb5c-7a3e-4b0e-8a57-3c7f7a0f6a02',
};

/** @throws Error when a count at the destination or in the table is wrong */
export async function runBareLoop(
  testBed: TestBed,
  { messages, prefilled }: BareLoopOptions,
): Promise<BareLoopResult> {
  const { postgres, rabbitmq, database, destination, generator } = testBed;
  const run = testBed.nextRun();
  await createBareTable(database);
  await createQueue(rabbitmq.url);
  await destination.call('startRun', { run, alerts: messages, webhooks: 1 });
  const loop = startHelper<BareLoopCommands>(import.meta.url, './bare-loop-main.js');
  const route = { exchange: '', routingKey: queue };
  const publish = () => generator.call('publishAll', { run, alerts: messages, target, route });
  if (prefilled) await publish();
  const meter = createCpuMeter({
    postgres: postgres.pid(),
    rabbitmq: rabbitmq.pid(),
    loop: loop.pid,
    destination: destination.pid,
    generator: generator.pid,
  });
  const startedAtMs = monotonicMs();
  const publishing = prefilled ? undefined : publish();
  await loop.call('start', {
    amqpUrl: rabbitmq.url,
    databaseUrl: postgres.url,
    queue,
    origin: destination.origin,
    prefetch,
    connections,
  });
  while ((await loop.call('written', undefined)) < messages) await sleep(10);
  const seconds = (monotonicMs() - startedAtMs) / 1_000;
  const cpuMicros = meter.microsFor(messages);
  await publishing;
  await loop.call('stop', undefined);
  await loop.stop();
  await checkCounts(testBed, messages);
  return { messages, perSecond: messages / seconds, cpuMicros };
}

async function createQueue(amqpUrl: string): Promise<void> {
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  await channel.deleteQueue(queue);
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await connection.close();
}

async function checkCounts({ database, destination }: TestBed, messages: number): Promise<void> {
  const arrived = await destination.call('progress', undefined);
  const stored = await countBareRows(database);
  const counts = [arrived.distinct, arrived.requests, stored.distinct];
  if (counts.some((count) => count !== messages))
    throw new Error(`The bare loop's counts are wrong: ${JSON.stringify({ arrived, stored, messages })}`);
}
