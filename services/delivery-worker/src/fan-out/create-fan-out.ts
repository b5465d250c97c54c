import { createAlertFiredCheck, type DeliveryDue } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { Logger } from '@tocsin/kit';
import type { BatchMetrics } from '../batch-metrics.js';
import type { DeliveryWorkerConfig } from '../config.js';
import type { DatabaseRetry } from '../database-retry.js';
import type { SettleMessage } from '../dead-letters/dead-letters.js';
import { createClaimRepository } from '../delivery/claim-repository.js';
import type { Claimed } from '../delivery/claimed.js';
import type { DispatchRepository } from '../dispatch/dispatch-repository.js';
import type { Window } from '../dispatch/window.js';
import type { Slot, Slots } from '../slots/slots.js';
import { beginUncertain } from './begin-uncertain.js';
import { createFanOutAlert, type FanOutAlert } from './fan-out-alert.js';
import type { FanOutMetrics } from './fan-out-metrics.js';
import { createFanOutRepository } from './fan-out-repository.js';
import { createRulesReader } from './rules-reader.js';

export interface FanOutParts {
  database: Database;
  window: Window;
  databaseRetry: DatabaseRetry;
  logger: Logger;
  metrics: FanOutMetrics & BatchMetrics;
  settle: SettleMessage;
  publishDue: (deliveries: DeliveryDue[]) => Promise<DeliveryDue[]>;
  repository: Pick<DispatchRepository, 'unqueue'>;
  slots: Pick<Slots, 'freeAtWrite' | 'responsivenessOf'>;
  acquireAtWrite: Slots['acquireAtWrite'];
  /** Carries out a delivery that was claimed as it was written. */
  begin: (claimed: Claimed, slot: Slot) => void;
  config: DeliveryWorkerConfig;
}

/** Puts fan-out together with its adapters. */
export function createFanOut(parts: FanOutParts): FanOutAlert {
  const {
    database,
    window,
    databaseRetry,
    logger,
    metrics,
    settle,
    publishDue,
    repository,
    slots,
    acquireAtWrite,
    begin,
    config,
  } = parts;
  const publish = async (due: DeliveryDue[]) => {
    const unconfirmed = await publishDue(due);
    if (unconfirmed.length === 0) return;
    // Without this they would wait for their lease to run out; should it fail too, they do.
    await databaseRetry
      .whileUnavailable(() => repository.unqueue(unconfirmed))
      .catch((err) => logger.warn({ err }, 'fan_out.unqueue_failed'));
  };
  const claims = createClaimRepository(database, config.leases.claimMs);
  return createFanOutAlert({
    check: createAlertFiredCheck(),
    rules: createRulesReader(database),
    repository: createFanOutRepository(database, config.leases),
    settle,
    window,
    slots,
    acquireAtWrite,
    publish: (due) => void publish(due),
    begin,
    beginUncertain: (uncertain, token) =>
      void beginUncertain(uncertain, token, { claims, databaseRetry, begin, logger }),
    databaseRetry,
    logger,
    metrics,
  });
}
