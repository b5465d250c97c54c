import { setTimeout as sleep } from 'node:timers/promises';
import { checkSchema, createSecretBox, readClock } from '@tocsin/database';
import { createSender, parseCidrs } from '@tocsin/egress';
import { createLifetime, createLogger, createMetrics, type Logger, serveMetrics } from '@tocsin/kit';
import {
  alertFiredQueue,
  type Consumer,
  createConsumer,
  createPublisher,
  deliveriesQueue,
  unroutedQueue,
} from '@tocsin/messaging';
import { createPatience } from './committing/patience.js';
import { type DeliveryWorkerConfig, openKeys } from './config.js';
import { openConnections } from './connect.js';
import { createDeadLetterRepository } from './dead-letters/dead-letter-repository.js';
import { createDeadLetters } from './dead-letters/dead-letters.js';
import { createSetAside } from './dead-letters/set-aside.js';
import type { Claimed } from './delivery/claimed.js';
import { createDelivery } from './delivery/create-delivery.js';
import { createHandleDue } from './delivery/handle-due.js';
import { createKeyWatch } from './delivery/key-watch.js';
import { runBacklogMeter } from './dispatch/backlog-meter.js';
import { createDispatchRepository } from './dispatch/dispatch-repository.js';
import { runDispatcher } from './dispatch/dispatcher.js';
import { createPublishDue } from './dispatch/publish-due.js';
import { createWindow } from './dispatch/window.js';
import { serveHealth } from './endpoints.js';
import { createFanOut } from './fan-out/create-fan-out.js';
import {
  ensureFirstDays,
  keepPartitions,
  keepRetention,
  runRedeliveries,
} from './housekeeping/housekeeper.js';
import { mendPartitions } from './housekeeping/mend-partitions.js';
import { createLimit } from './in-turn/limit.js';
import { createTasks } from './in-turn/tasks.js';
import { createWorkerMetrics } from './metrics.js';
import { createSlots, type Slot, type Slots } from './slots/slots.js';

export interface DeliveryWorker {
  logger: Logger;
  /** The port of `/livez` and `/readyz`. */
  port: number;
  /** Takes no more, finishes what is under way, hands the rest back. */
  close(deadlineMs: number): Promise<void>;
}

/**
 * Alerts that a worker holds at once, to take them over in turn by workspace: what is still in the queue is first come,
 * first served, and a storm is published faster than it can be written (docs/adr/0030).
 */
const alertPrefetch = 40_000;
/** Deliveries that have been sent and are being recorded, beside those that may be under way: a batch of them. */
const maxRecordsInHand = 200;
const maxAlertBytesInHand = 32 * 1_048_576;
/** Of what was not routed there are few, or nobody's bindings are in order. */
const unroutedPrefetch = 1_000;

const brokerPatienceMs = 2_000;

/** The one place where the worker is put together. */
export async function createDeliveryWorker(config: DeliveryWorkerConfig): Promise<DeliveryWorker> {
  const logger = createLogger({ service: 'delivery-worker', level: config.logLevel });
  const registry = createMetrics({ service: 'delivery-worker' });
  const lifetime = createLifetime();
  const stopping = new AbortController();
  const { signal } = stopping;
  const { database: opened, publishing, consuming } = await openConnections(config, { logger, lifetime });
  const database = mendPartitions(opened);
  const now = () => readClock(database);
  const chores = { database, logger, signal, retentionDays: config.retentionDays, now };
  await ensureFirstDays(chores);
  const sender = createSender({
    ...config.egress,
    allow: parseCidrs(config.egress.allow),
    // Under load every slot may go to one host: a connection closed after a burst is made anew for the next.
    maxIdlePerDestination: config.slots,
    maxIdle: 2 * config.slots,
  });
  lifetime.add('sender', () => sender.close());

  const publisher = await createPublisher(publishing);
  const publishDue = createPublishDue(publisher);
  const repository = createDispatchRepository(database, config.leases);
  const slots = createSlots({ total: config.slots, now: () => performance.now() });
  const window = createWindow({ now: () => performance.now(), shareOf: slots.shareOf, slots: config.slots });
  const metrics = createWorkerMetrics(registry, { inFlight: slots.taken, slots: config.slots });
  const consumers: Consumer[] = [];
  const pause = () => Promise.all(consumers.map((consumer) => consumer.pause()));
  const resume = () => Promise.all(consumers.map((consumer) => consumer.resume()));
  // What is being written or recorded goes on, and shows when the database is back; written twice it is written once.
  const handBack = async () => {
    await Promise.all(consumers.map((consumer) => consumer.handBack()));
    fanOut.failWaiting(new Error('It was handed back.'));
  };
  const patience = createPatience({ logger, signal, pause, resume, handBack });

  const secrets = createSecretBox(openKeys(config.secretsKeys));
  const shared = { database, patience, logger, metrics, config };
  const keyWatch = createKeyWatch(logger);
  const deliver = createDelivery({
    ...shared,
    secrets,
    keyWatch,
    slots,
    sender,
    onAttempt: window.finished,
  });
  const duePlaces = createLimit(config.slots, maxRecordsInHand);
  let isStopping = false;
  // Once told to stop, what was not begun or waits for the database goes back to the broker with the channel.
  const onError = (err: unknown) => isStopping || logger.error({ err }, 'message.failed');
  const begun = createTasks(onError);
  const begin = (claimed: Claimed, slot: Slot) =>
    begun.add({ workspaceId: claimed.workspaceId, begin: () => deliver.claimed(claimed, slot) });
  // Slots are free before outcomes are recorded: without this, as many would wait in memory as can be sent meanwhile.
  const takeEarly: Slots['takeEarly'] = (webhookId) =>
    deliver.inHand() < 3 * config.slots ? slots.takeEarly(webhookId) : undefined;
  const deadLetters = createDeadLetters({
    repository: createDeadLetterRepository(database),
    patience,
    now,
  });
  const setAside = createSetAside({ deadLetters, logger, metrics });
  const fanOut = createFanOut({
    ...shared,
    window,
    setAside,
    publishDue,
    repository,
    slots: { ...slots, takeEarly },
    begin,
  });
  consumers.push(
    await createConsumer(consuming, {
      queue: alertFiredQueue,
      prefetch: alertPrefetch,
      maxBytes: maxAlertBytesInHand,
      handle: fanOut.handle,
      onError,
    }),
    await createConsumer(consuming, {
      queue: unroutedQueue,
      prefetch: unroutedPrefetch,
      maxBytes: maxAlertBytesInHand,
      handle: fanOut.handle,
      onError,
    }),
    await createConsumer(consuming, {
      queue: deliveriesQueue,
      // Half of the hands may be full of what hangs, or waits for a slot, and the rest still keep the slots busy.
      prefetch: 2 * config.slots + maxRecordsInHand,
      handle: createHandleDue({ deliver, places: duePlaces, setAside }),
      onError,
    }),
  );

  const isBrokerUp = async () => {
    if (!consuming.isUp()) throw new Error('The broker is away.');
    // It must answer: a connection to one that is frozen stands for a while.
    await publisher.depth(deliveriesQueue);
  };
  const checks = { database: () => checkSchema(database), broker: isBrokerUp, secrets: keyWatch.check };
  const health = await serveHealth({ address: config.http, logger, metrics: registry, checks });
  lifetime.add('health', (remainingMs) => health.close(remainingMs));
  const metricsServer = await serveMetrics(registry, config.metrics);
  lifetime.add('metrics', (remainingMs) => metricsServer.close(remainingMs));

  const queueDepth = () => publisher.depth(deliveriesQueue);
  const loops = Promise.all([
    runDispatcher({
      repository,
      window,
      queueDepth,
      publish: publishDue,
      patience,
      slots,
      metrics,
      logger,
      signal,
    }),
    runBacklogMeter({ repository, queueDepth, metrics, logger, signal }),
    keepPartitions(chores),
    keepRetention(chores),
    runRedeliveries(chores),
  ]);
  lifetime.add('loops', () => loops);
  lifetime.add('consumers', async () => {
    isStopping = true;
    // First of all: what waits for the database, or for its turn, would wait until the deadline.
    stopping.abort();
    const refusal = new Error('The worker is stopping.');
    fanOut.refuseWaiting(refusal);
    duePlaces.refuseWaiting(refusal);
    // A frozen broker does not answer; what it hands out all the same is refused, and goes back with the channel.
    await Promise.race([pause(), sleep(brokerPatienceMs)]);
    await Promise.all(consumers.map((consumer) => consumer.drained()));
    await begun.ended();
  });
  return { logger, port: health.port, close: (deadlineMs) => lifetime.close(deadlineMs) };
}
