import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import type { Destination } from '../destination/start-destination.js';
import type { Load } from '../load/start-load.js';
import { monotonicMs } from '../measure/clock.js';
import { type CpuShares, createCpuMeter } from '../measure/cpu-meter.js';
import { startHelper } from '../test-bed/helper-process.js';
import type { Stack } from '../test-bed/start-stack.js';
import type { BareLoopCommands } from './bare-loop-main.js';
import { countBareRows, makeBareTable } from './bare-loop-repository.js';

export interface BareLoopResult {
  messages: number;
  /** Deliveries a second. */
  perSecond: number;
  /** Microseconds of CPU for a delivery, by process. */
  cpuMicros: CpuShares;
}

export interface BareLoopRun {
  stack: Stack;
  destination: Destination;
  load: Load;
  run: number;
  messages: number;
  /** The queue is full before the loop starts; else it is filled meanwhile, as for the worker. */
  prefilled: boolean;
}

const queue = 'bench-bare';
const prefetch = 400;
const connections = 128;

/** Runs the bare loop over `messages` messages and counts what came of them; throws where a count is wrong. */
export async function runBareLoop(options: BareLoopRun): Promise<BareLoopResult> {
  const { stack, destination, load, run, messages, prefilled } = options;
  await makeBareTable(stack.database);
  await makeQueue(stack.amqpUrl);
  await destination.call('begin', { run, alerts: messages, webhooks: 1 });
  const loop = startHelper<BareLoopCommands>(import.meta.url, './bare-loop-main.js');
  const publish = () =>
    load.call('publishAll', {
      run,
      alerts: messages,
      workspaceId: '0d4ffb5c-7a3e-4b0e-8a57-3c7f7a0f6a01',
      alertRuleId: '0d4ffb5c-7a3e-4b0e-8a57-3c7f7a0f6a02',
      exchange: '',
      routingKey: queue,
    });
  if (prefilled) await publish();
  const meter = createCpuMeter({
    ...stack.pids,
    loop: loop.pid,
    destination: destination.pid,
    load: load.pid,
  });
  const startedAtMs = monotonicMs();
  const published = prefilled ? undefined : publish();
  await loop.call('start', {
    amqpUrl: stack.amqpUrl,
    databaseUrl: stack.databaseUrl,
    queue,
    origin: destination.origin,
    prefetch,
    connections,
  });
  while ((await loop.call('written', undefined)) < messages) await sleep(10);
  const seconds = (monotonicMs() - startedAtMs) / 1_000;
  const cpuMicros = meter.microsFor(messages);
  await published;
  await loop.call('stop', undefined);
  await loop.stop();
  await checkCounts(options);
  return { messages, perSecond: messages / seconds, cpuMicros };
}

async function makeQueue(amqpUrl: string): Promise<void> {
  const model = await connect(amqpUrl);
  const channel = await model.createChannel();
  await channel.deleteQueue(queue);
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await model.close();
}

async function checkCounts({ stack, destination, messages }: BareLoopRun): Promise<void> {
  const arrived = await destination.call('progress', undefined);
  const stored = await countBareRows(stack.database);
  const right =
    arrived.distinct === messages && arrived.requests === messages && stored.distinct === messages;
  if (!right)
    throw new Error(`The bare loop's counts are wrong: ${JSON.stringify({ arrived, stored, messages })}`);
}
