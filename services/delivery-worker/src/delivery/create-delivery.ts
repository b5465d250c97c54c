import { type DeliveryDue, decodeDeliveriesDue } from '@tocsin/contracts';
import type { Database, SecretBox } from '@tocsin/database';
import type { Sender } from '@tocsin/egress';
import { createSemaphore, createTickThrottle, type Logger, type Tracing } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import type { BatchMetrics } from '../batch-metrics.js';
import type { DeliveryWorkerConfig } from '../config.js';
import type { DatabaseRetry } from '../database-retry.js';
import type { SettleMessage } from '../dead-letters/dead-letters.js';
import type { WorkerLease } from '../lease/worker-lease.js';
import type { Slot, Slots } from '../slots/slots.js';
import { createFailureCounter } from './circuit.js';
import { createClaim } from './claim.js';
import type { ClaimRepository } from './claim-repository.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { createDeliver } from './deliver.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import { createInFlightDeliveries } from './in-flight-deliveries.js';
import { createPauseRepository } from './pause-repository.js';
import { createRenderBody } from './prepare.js';
import { createRecorder } from './record.js';
import { createRecordRepository } from './record-repository.js';
import type { RenderBudget } from './render-budget.js';
import { createWebhooksReader } from './webhooks-reader.js';

export interface DeliveryParts {
  database: Database;
  secrets: SecretBox;
  slots: Slots;
  renderBudget: RenderBudget;
  sender: Sender;
  databaseRetry: DatabaseRetry;
  settle: SettleMessage;
  lease: Pick<WorkerLease, 'covers' | 'isHeld'>;
  claims: ClaimRepository;
  logger: Logger;
  /** Undefined while tracing is off. */
  tracing?: Tracing | undefined;
  metrics: DeliveryMetrics & BatchMetrics;
  config: DeliveryWorkerConfig;
  /** Called once for each attempt. */
  onAttempt: () => void;
  onError: (error: unknown) => void;
}

export interface Delivery {
  /** Starts a delivery that was claimed at write. If it fails, the sweep finds its claim and releases it. */
  start(claimed: ClaimedDelivery, slot: Slot): void;
  /** Starts a delivery that the dispatcher has claimed. It waits for a slot. */
  startLimited(claimed: ClaimedDelivery): void;
  /** Claims and delivers the deliveries that a message names, and settles the message. */
  handleDue(message: QueueMessage): void;
  acquireAtWrite: Slots['acquireAtWrite'];
  /** Rejects deliveries from the queue that wait for a permit, and all later ones. */
  rejectWaiting(error: Error): void;
  /** Resolves when no delivery is in flight. */
  drained(): Promise<void>;
  inFlightIds(): string[];
}

/** Deliveries from the queue that can wait for their record while others use all slots: one batch of records. */
export const maxRecording = 200;
/**
 * A slot is free before the outcome is recorded. With more than three deliveries in flight for each slot, records are
 * slow, and no further delivery is claimed at write.
 */
const maxInFlightPerSlot = 3;
/** Deliveries of webhooks in state `unknown` that may start in each tick of the event loop. */
const unknownPerTick = 4;
/**
 * Deliveries claimed at write that may start in each tick of the event loop, round robin by workspace. A commit makes
 * hundreds of them ready. Started together, all would be in memory before the first response is read, and the reply to
 * the next commit would wait.
 */
const startsPerTick = 32;

export function createDelivery(parts: DeliveryParts): Delivery {
  const { database, secrets, databaseRetry, slots, config, settle, metrics, lease, onError } = parts;
  const webhooks = createWebhooksReader(parts);
  const claim = createClaim({
    repository: parts.claims,
    databaseRetry,
    onBatch: (size) => metrics.batch('claim', size),
  });
  const deliver = createDeliver({
    ...parts,
    webhooks,
    render: createRenderBody(),
    tickThrottle: createTickThrottle(unknownPerTick),
    recorder: createRecorder({
      ...parts,
      records: createRecordRepository(database, secrets),
      pauses: createPauseRepository(database),
      onBatch: (size) => metrics.batch('record', size),
    }),
    failures: createFailureCounter(),
    policy: config.retry,
    now: Date.now,
    random: Math.random,
  });
  const inFlight = createInFlightDeliveries(async (due) => {
    const claimed = await claim(due);
    if (claimed !== undefined) await deliver(claimed);
  });
  const permits = createSemaphore({ permits: config.slots + maxRecording });
  const starts = createTickThrottle(startsPerTick);
  return {
    start(claimed, slot) {
      if (inFlight.has(claimed.deliveryId)) return slot.release();
      const deliverAfterWait = async () => {
        await starts.wait(claimed.workspaceId);
        await deliver(claimed, slot);
      };
      inFlight.track(claimed.deliveryId, deliverAfterWait).catch(onError);
    },
    startLimited(claimed) {
      if (!inFlight.has(claimed.deliveryId))
        inFlight.track(claimed.deliveryId, () => deliver(claimed)).catch(onError);
    },
    handleDue(message) {
      const due = decodeDeliveriesDue(message.content);
      if (due === undefined) return settle(message, malformed);
      const deliverOne = async (one: DeliveryDue) => {
        // A message that was returned to the broker meanwhile belongs to another worker.
        if (!message.isReturned()) await inFlight.deliverDue(one);
      };
      allEnded(due.map((one) => permits.run(() => deliverOne(one)))).then(
        () => settle(message, { kind: 'processed' }),
        (error: unknown) => settle(message, { kind: 'error', error }),
      );
    },
    acquireAtWrite: (webhook) =>
      lease.isHeld() && inFlight.size() < maxInFlightPerSlot * config.slots
        ? slots.acquireAtWrite(webhook)
        : undefined,
    rejectWaiting: permits.close,
    drained: inFlight.drained,
    inFlightIds: inFlight.ids,
  };
}

const malformed = {
  kind: 'unprocessable',
  reason: 'malformed_message',
  detail: 'The message is no list of deliveries that are due: only Tocsin publishes here.',
} as const;

/** Waits for all promises. @throws the first error */
async function allEnded(promises: Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(promises);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
