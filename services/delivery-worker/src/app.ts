import { randomUUID } from 'node:crypto';
import { createPoolMetrics, createSecretBox, parseSecretKeys, readClock } from '@tocsin/database';
import { createOpenDeliveryCounts } from '@tocsin/deliveries';
import {
  createLogger,
  createMetrics,
  createShutdown,
  createWakeableSleep,
  instanceName,
  type Logger,
  startTracing,
} from '@tocsin/kit';
import { createPublisher, createQueueDepth, deliveriesQueue } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';
import { createConsumers } from './consumers.js';
import { createDatabaseRetry } from './database-retry.js';
import { createSettleMessage } from './dead-letters/dead-letters.js';
import { createDeadLettersRepository } from './dead-letters/dead-letters-repository.js';
import { createClaimRepository } from './delivery/claim-repository.js';
import { createDeliveryProcessor } from './delivery/delivery-processor.js';
import { createRenderBudget } from './delivery/render-budget.js';
import { runBacklogGauge } from './dispatch/backlog-gauge.js';
import { createBacklogReader } from './dispatch/backlog-reader.js';
import { runDispatcher } from './dispatch/dispatcher.js';
import { createPublishDeliveries } from './dispatch/publish-deliveries.js';
import { createQueueRepository } from './dispatch/queue-repository.js';
import { createWindow } from './dispatch/window.js';
import { openEndpoints } from './endpoints.js';
import { createFanOut } from './fan-out/fan-out.js';
import { createFanOutRepository } from './fan-out/fan-out-repository.js';
import { createRulesReader } from './fan-out/rules-reader.js';
import { startKeyCheck } from './key-check.js';
import { createLeaseRepository } from './lease/lease-repository.js';
import { createLeaseSweep } from './lease/lease-sweep.js';
import { createWorkerLease } from './lease/worker-lease.js';
import { createWriteCheck } from './lease/write-check.js';
import { createFirstPartitions, runMaintenance } from './maintenance/maintenance-jobs.js';
import { createMaintenanceMetrics } from './maintenance/maintenance-metrics.js';
import { createWorkerMetrics } from './metrics.js';
import { openConnections } from './open-connections.js';
import { createSlots } from './slots/slots.js';

export interface DeliveryWorker {
  logger: Logger;
  /** Port that serves `/livez` and `/readyz`. */
  port: number;
  /**
   * Stops consuming, finishes the deliveries in flight, and returns all other unacknowledged messages to the broker.
   * `deadlineMs` limits the duration in milliseconds.
   */
  close(deadlineMs: number): Promise<void>;
}

/** Dependencies that tests replace. */
interface Overrides {
  logger?: Logger;
}

const service = 'delivery-worker';

/** Creates the worker from its configuration, connects its parts to each other, and starts it. */
export async function createDeliveryWorker(
  config: DeliveryWorkerConfig,
  overrides: Overrides = {},
): Promise<DeliveryWorker> {
  const { logLevel: level, logSuccessPercent: successPercent, tracingEndpoint: endpoint } = config;
  const { logger = createLogger({ service, level, successPercent }) } = overrides;
  const registry = createMetrics({ service });
  const shutdown = createShutdown();
  const { signal } = shutdown;
  const tracing = await startTracing({ service, endpoint, logger, shutdown });
  const { database, leaseDatabase, publishing, consuming, sender } = await openConnections(config, {
    logger,
    shutdown,
  });
  createPoolMetrics(registry, { main: database, lease: leaseDatabase });
  const nowMs = () => performance.now();
  const workerId = randomUUID();
  const leases = createLeaseRepository({
    leaseDatabase,
    database,
    worker: { id: workerId, name: instanceName() },
    queuedLeaseMs: config.queuedLeaseMs,
  });
  const lease = createWorkerLease({ repository: leases, logger, now: nowMs });
  lease.start();
  shutdown.add('lease', lease.end);
  const now = () => readClock(database);
  const openDeliveries = createOpenDeliveryCounts(database, config.openDeliveries);
  const maintenance = {
    database,
    logger,
    signal,
    retentionDays: config.retentionDays,
    retentionAttemptsDays: config.retentionAttemptsDays,
    archive: config.retentionArchive,
    openDeliveries,
    notices: config.notices,
    metrics: createMaintenanceMetrics(registry),
    leads: lease.leads,
    now,
  };
  await createFirstPartitions(maintenance);

  const renderBudget = createRenderBudget(nowMs);
  const slots = createSlots({ total: config.slots, now: nowMs, rendersLeft: renderBudget.rendersLeft });
  const { queueQuota, responsivenessOf } = slots;
  const window = createWindow({ now: nowMs, queueQuota, responsivenessOf, slots: config.slots });
  const databaseRetry = createDatabaseRetry({ logger, signal });
  const failures = [lease.failure, databaseRetry.failure];
  const writes = createWriteCheck({ failures, shutdown, logger, now: nowMs });
  const { isWritable } = writes;
  const metrics = createWorkerMetrics(registry, {
    inFlight: slots.inUse,
    slots: config.slots,
    isWritable,
    leads: lease.leads,
  });
  const publisher = await createPublisher(publishing);
  const queueDepth = await createQueueDepth(publishing, deliveriesQueue);
  const repository = createQueueRepository(database, {
    queuedLeaseMs: config.queuedLeaseMs,
    maxAgeMs: config.retry.maxAgeMs,
  });
  const publish = createPublishDeliveries({ publisher, repository, databaseRetry, logger });

  // When the worker stops, the processing of messages that still wait fails. These errors are not reported, because the
  // broker delivers the messages to another worker.
  const onError = (err: unknown) => {
    if (signal.aborted) return;
    metrics.messageFailed();
    logger.error({ err }, 'message.failed');
  };
  const deadLetters = createDeadLettersRepository(database);
  const settle = createSettleMessage({ repository: deadLetters, databaseRetry, now, logger, metrics });
  const secretBox = createSecretBox(parseSecretKeys(config.secretsKeys.reveal()));
  const claims = createClaimRepository(database, {
    workerId,
    queuedLeaseMs: config.queuedLeaseMs,
    maxAgeMs: config.retry.maxAgeMs,
  });
  const shared = { database, secretBox, databaseRetry, settle, slots, logger, metrics, tracing, config };
  const processor = createDeliveryProcessor({
    ...shared,
    renderBudget,
    sender,
    lease,
    claims,
    onAttempt: window.finished,
    onError,
  });
  const dispatcherSleep = createWakeableSleep();
  const fanOut = createFanOut({
    rules: createRulesReader(database),
    repository: createFanOutRepository(database, { workerId, queuedLeaseMs: config.queuedLeaseMs }),
    claims,
    databaseRetry,
    secretBox,
    openDeliveries,
    settle,
    processor,
    publish,
    onWaiting: dispatcherSleep.wake,
    window,
    slots,
    logger,
    metrics,
    tracing,
    signal,
  });
  const { availability } = databaseRetry;
  const consumers = createConsumers({
    brokers: consuming,
    availability,
    slots: config.slots,
    onError,
    logger,
    signal,
  });
  const { inFlightIds } = processor;
  const { leads } = lease;
  const sweep = createLeaseSweep({ repository: leases, inFlightIds, leads, logger, metrics, now: nowMs });
  lease.onReleaseAllowed(sweep.release);
  await consumers.open({ alerts: fanOut, deliveries: { handle: processor.handleDue } });

  const keys = startKeyCheck({
    database,
    secretBox,
    databaseRetry,
    consumers: {
      pause() {
        consumers.pause('keys');
        void consumers.returnToBroker();
      },
      resume: () => consumers.resume('keys'),
    },
    registry,
    logger,
    signal,
  });
  const port = await openEndpoints({
    database,
    consuming,
    checkKeys: keys.check,
    checkWrites: writes.check,
    config,
    logger,
    registry,
    shutdown,
  });
  const mayDispatch = () => keys.fit() && isWritable();
  const dispatch = {
    repository,
    window,
    queueDepth,
    publish,
    claims,
    startLimited: processor.startLimited,
    expiredInFlight: processor.expiredInFlight,
    slots,
    alertsWaiting: fanOut.waiting,
    replyLost: sweep.replyLost,
    mayDispatch,
    lease,
    idleSleep: dispatcherSleep.sleep,
    metrics,
    logger,
    signal,
  };
  const dispatcher = runDispatcher(dispatch);
  const loops = Promise.all([
    dispatcher,
    runBacklogGauge({ ...dispatch, repository: createBacklogReader(database) }),
    runMaintenance(maintenance),
    keys.stopped,
  ]);
  shutdown.add('loops', () => loops);
  shutdown.add('consumers', async () => {
    processor.rejectWaiting(new Error('The worker is stopping.'));
    // A pass that is in progress may still claim and start deliveries with a rate limit.
    await Promise.all([consumers.drain(), dispatcher]);
    await processor.drained();
  });
  return { logger, port, close: (deadlineMs) => shutdown.close(deadlineMs) };
}
