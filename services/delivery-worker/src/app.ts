import { readClock } from '@tocsin/database';
import { createLogger, createMetrics, createShutdown, type Logger } from '@tocsin/kit';
import { createPublisher, createQueueDepth, deliveriesQueue } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from './config.js';
import { openConnections } from './connect.js';
import { createConsumers } from './consumers.js';
import { createDatabaseRetry } from './database-retry.js';
import { createDeadLetterRepository } from './dead-letters/dead-letter-repository.js';
import { createSettleMessage } from './dead-letters/dead-letters.js';
import { createDelivery } from './delivery/create-delivery.js';
import { createRenderBudget } from './delivery/render-budget.js';
import { createDispatchRepository } from './dispatch/dispatch-repository.js';
import { createPublishDue } from './dispatch/publish-due.js';
import { createWindow } from './dispatch/window.js';
import { openEndpoints } from './endpoints.js';
import { createFanOut } from './fan-out/create-fan-out.js';
import { ensureFirstDays } from './housekeeping/housekeeper.js';
import { runLoops } from './loops.js';
import { createWorkerMetrics } from './metrics.js';
import { createSlots } from './slots/slots.js';

export interface DeliveryWorker {
  logger: Logger;
  /** The port of `/livez` and `/readyz`. */
  port: number;
  /** Takes no more, finishes what is under way, hands the rest back. */
  close(deadlineMs: number): Promise<void>;
}

/** The one place where the worker is put together. */
export async function createDeliveryWorker(config: DeliveryWorkerConfig): Promise<DeliveryWorker> {
  const logger = createLogger({ service: 'delivery-worker', level: config.logLevel });
  const registry = createMetrics({ service: 'delivery-worker' });
  const shutdown = createShutdown();
  const { signal } = shutdown;
  const { database, publishing, consuming, sender } = await openConnections(config, { logger, shutdown });
  const now = () => readClock(database);
  const chores = { database, logger, signal, retentionDays: config.retentionDays, now };
  await ensureFirstDays(chores);

  const nowMs = () => performance.now();
  const renderBudget = createRenderBudget(nowMs);
  const slots = createSlots({ total: config.slots, now: nowMs, isOverBudget: renderBudget.isExceeded });
  const window = createWindow({ now: nowMs, queueQuota: slots.queueQuota, slots: config.slots });
  const metrics = createWorkerMetrics(registry, { inFlight: slots.inUse, slots: config.slots });
  const publisher = await createPublisher(publishing);
  const publishDue = createPublishDue(publisher);
  const queueDepth = await createQueueDepth(publishing, deliveriesQueue);
  const repository = createDispatchRepository(database, config.leases);

  // Once told to stop, what was not begun or waits for the database goes back to the broker with the channel.
  const onError = (err: unknown) => {
    if (signal.aborted) return;
    metrics.messageFailed();
    logger.error({ err }, 'message.failed');
  };
  const databaseRetry = createDatabaseRetry({ logger, signal });
  const { availability } = databaseRetry;
  const consumers = createConsumers({
    broker: consuming,
    availability,
    slots: config.slots,
    onError,
    logger,
    signal,
  });
  const deadLetters = createDeadLetterRepository(database);
  const settle = createSettleMessage({ repository: deadLetters, databaseRetry, now, logger, metrics });
  const shared = { database, databaseRetry, settle, slots, logger, metrics, config };
  const delivery = createDelivery({ ...shared, renderBudget, sender, onAttempt: window.finished, onError });
  const { begin, acquireAtWrite } = delivery;
  const fanOut = createFanOut({ ...shared, window, publishDue, repository, begin, acquireAtWrite });
  await consumers.open({ alerts: fanOut, deliveries: { handle: delivery.handleDue } });

  const { checkKeys } = delivery;
  const checked = { database, consuming, queueDepth, checkKeys };
  const port = await openEndpoints({ ...checked, config, logger, registry, shutdown });
  const dispatching = { repository, window, queueDepth, publish: publishDue, databaseRetry, slots, metrics };
  const loops = runLoops({ ...chores, ...dispatching });
  shutdown.add('loops', () => loops);
  shutdown.add('consumers', async () => {
    const refusal = new Error('The worker is stopping.');
    fanOut.refuseWaiting(refusal);
    delivery.refuseWaiting(refusal);
    await consumers.drain();
    await delivery.ended();
  });
  return { logger, port, close: (deadlineMs) => shutdown.close(deadlineMs) };
}
