import { createSecretBox, type Database } from '@tocsin/database';
import type { Sender } from '@tocsin/egress';
import { createTickThrottle, type HealthCheck, type Logger } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import type { BatchMetrics } from '../batch-metrics.js';
import { type DeliveryWorkerConfig, openKeys } from '../config.js';
import type { DatabaseRetry } from '../database-retry.js';
import type { SettleMessage } from '../dead-letters/dead-letters.js';
import { createLimit } from '../in-turn/limit.js';
import { createTasks } from '../in-turn/tasks.js';
import type { Slot, Slots } from '../slots/slots.js';
import { createCircuits } from './circuit.js';
import { createClaim } from './claim.js';
import { createClaimRepository } from './claim-repository.js';
import type { Claimed } from './claimed.js';
import { createDeferralRepository } from './deferral-repository.js';
import { createDeliver, type Deliver } from './deliver.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import { createHandleDue } from './handle-due.js';
import { createHoldRepository } from './hold-repository.js';
import { createKeyWatch, type KeyWatch } from './key-watch.js';
import { createRenderBody } from './prepare.js';
import { createRecorder } from './record.js';
import { createRecordRepository } from './record-repository.js';
import type { RenderBudget } from './render-budget.js';
import { createWebhookCache } from './webhook-cache.js';
import { createWebhooksReader } from './webhooks-reader.js';

export interface DeliveryParts {
  database: Database;
  slots: Slots;
  renderBudget: RenderBudget;
  sender: Sender;
  databaseRetry: DatabaseRetry;
  settle: SettleMessage;
  logger: Logger;
  metrics: DeliveryMetrics & BatchMetrics;
  config: DeliveryWorkerConfig;
  /** Told once for each attempt. */
  onAttempt: () => void;
  onError: (error: unknown) => void;
}

export interface Delivery {
  /** Carries out, in its turn, a delivery that was claimed as it was written; failing is not lost, its lease runs out. */
  begin(claimed: Claimed, slot: Slot): void;
  /** Carries out the deliveries that a message names. */
  handleDue(message: QueueMessage): void;
  acquireAtWrite: Slots['acquireAtWrite'];
  /** What came from the queue and waits for its turn fails with `error`, now and from now on. */
  refuseWaiting(error: Error): void;
  /** Resolves when nothing of what was begun goes on. */
  ended(): Promise<void>;
  checkKeys: HealthCheck;
}

/** Deliveries that have been sent and are being recorded, beside those that may be under way: a batch of them. */
export const maxRecordsInHand = 200;
/** Outcomes that wait, for each slot, before nothing more is begun as it is written. */
const maxInHandPerSlot = 3;
/** Deliveries of webhooks that have not shown that they answer, begun in each turn of the event loop. */
const unhurriedPerTurn = 4;

/** Puts delivery together with its adapters, and bounds what is under way. */
export function createDelivery(parts: DeliveryParts): Delivery {
  const { slots, config, settle, logger, onError } = parts;
  const keyWatch = createKeyWatch(logger);
  const deliver = createVerbs(parts, keyWatch);
  const places = createLimit(config.slots, maxRecordsInHand);
  const begun = createTasks(onError);
  // Slots are free before outcomes are recorded: without this, as many would wait in memory as can be sent meanwhile.
  const mayBegin = () => deliver.inHand() < maxInHandPerSlot * config.slots;
  return {
    begin: (claimed, slot) =>
      begun.add({ workspaceId: claimed.workspaceId, begin: () => deliver.claimed(claimed, slot) }),
    handleDue: createHandleDue({ deliver, places, settle }),
    acquireAtWrite: (webhook) => (mayBegin() ? slots.acquireAtWrite(webhook) : undefined),
    refuseWaiting: places.refuseWaiting,
    ended: begun.ended,
    checkKeys: keyWatch.check,
  };
}

function createVerbs(parts: DeliveryParts, keyWatch: KeyWatch): Deliver {
  const { database, slots, renderBudget, sender, databaseRetry, logger, metrics, config, onAttempt } = parts;
  const leaseMs = config.leases.claimMs;
  const secrets = createSecretBox(openKeys(config.secretsKeys));
  return createDeliver({
    claim: createClaim({
      repository: createClaimRepository(database, leaseMs),
      databaseRetry,
      onBatch: (size) => metrics.batch('claim', size),
    }),
    webhooks: createWebhookCache(
      createWebhooksReader({ database, secrets, onRead: keyWatch.saw }),
      databaseRetry,
    ),
    render: createRenderBody(),
    renderBudget,
    slots,
    tickThrottle: createTickThrottle(unhurriedPerTurn),
    sender,
    recorder: createRecorder({
      records: createRecordRepository(database, secrets),
      deferrals: createDeferralRepository(database),
      holds: createHoldRepository(database),
      databaseRetry,
      logger,
      onBatch: (size) => metrics.batch('record', size),
      leaseMs,
    }),
    circuits: createCircuits(),
    policy: config.retry,
    logger,
    metrics,
    onAttempt,
    now: Date.now,
    random: Math.random,
  });
}
