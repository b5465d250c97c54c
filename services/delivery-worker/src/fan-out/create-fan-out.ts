import { createAlertFiredCheck, type DeliveryDue } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { Logger } from '@tocsin/kit';
import { alertFiredQueue, type Incoming } from '@tocsin/messaging';
import type { DeliveryWorkerConfig } from '../config.js';
import type { DispatchRepository } from '../dispatch/dispatch-repository.js';
import type { Window } from '../dispatch/window.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Patience } from '../patience.js';
import { createDeadLetterRepository } from './dead-letter-repository.js';
import { createFanOutAlert } from './fan-out-alert.js';
import { createFanOutRepository } from './fan-out-repository.js';
import { createRulesReader } from './rules-reader.js';

export interface FanOutParts {
  database: Database;
  window: Window;
  patience: Patience;
  logger: Logger;
  metrics: WorkerMetrics;
  publishDue: (deliveries: DeliveryDue[]) => Promise<DeliveryDue[]>;
  repository: Pick<DispatchRepository, 'unqueue'>;
  config: DeliveryWorkerConfig;
}

/** Puts fan-out together with its adapters. */
export function createFanOut(parts: FanOutParts): (message: Incoming) => undefined {
  const { database, window, patience, logger, metrics, publishDue, repository, config } = parts;
  const publish = async (due: DeliveryDue[]) => {
    const unconfirmed = await publishDue(due);
    if (unconfirmed.length === 0) return;
    // Without this they would wait for their lease to run out; should it fail too, they do.
    await patience
      .untilAnswered(() => repository.unqueue(unconfirmed))
      .catch((err) => logger.warn({ err }, 'fan-out.unqueue_failed'));
  };
  return createFanOutAlert({
    check: createAlertFiredCheck(),
    rules: createRulesReader(database),
    repository: createFanOutRepository(database, config.queuedLeaseMs),
    deadLetters: createDeadLetterRepository(database),
    window,
    publish: (due) => void publish(due),
    patience,
    logger,
    metrics,
    queue: alertFiredQueue,
    now: Date.now,
  });
}
