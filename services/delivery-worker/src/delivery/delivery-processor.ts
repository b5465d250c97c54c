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
import { createBodyMemory } from './body-memory.js';
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

export interface DeliveryProcessorDeps {
  database: Database;
  secretBox: SecretBox;
  slots: Slots;
  renderBudget: RenderBudget;
  sender: Sender;
  databaseRetry: DatabaseRetry;
  settle: SettleMessage;
  lease: Pick<WorkerLease, 'covers' | 'isHeld'>;
  claims: ClaimRepository;
  logger: Logger;
  /** Source of spans; undefined if tracing is off. */
  tracing?: Tracing | undefined;
  metrics: DeliveryMetrics & BatchMetrics;
  config: DeliveryWorkerConfig;
  /** Called after each recorded attempt. */
  onAttempt: () => void;
  onError: (error: unknown) => void;
}

export interface DeliveryProcessor {
  /**
   * Starts a delivery that was claimed at write. If its processing ends with an error, the lease sweep releases the
   * claim later.
   */
  start(claimed: ClaimedDelivery, slot: Slot): void;
  /** Starts a delivery of a rate-limited webhook, which the dispatcher has claimed. The delivery waits for a slot. */
  startLimited(claimed: ClaimedDelivery): void;
  /** Number of deliveries that `startLimited` has started only to end them, and whose end is not recorded yet. */
  expiredInFlight(): number;
  /** Claims and delivers the deliveries named in a message, and then settles the message. */
  handleDue(message: QueueMessage): void;
  acquireAtWrite: Slots['acquireAtWrite'];
  /** Rejects the deliveries from the queue that wait for a permit to start, and all later ones. */
  rejectWaiting(error: Error): void;
  /** Resolves when no delivery is in flight. */
  drained(): Promise<void>;
  inFlightIds(): string[];
}

/**
 * Number of deliveries from the queue that can be in progress in addition to the number of slots. A delivery releases
 * its slot before its outcome is recorded, so this many deliveries can wait for the commit of their outcomes while all
 * slots are in use. It is the size of one full batch of outcomes.
 */
export const maxUnrecorded = 300;
/**
 * Number of deliveries in flight for each slot at which no further delivery is claimed at write. A slot is released
 * before the outcome is recorded, so a number of deliveries in flight far above the number of slots shows that
 * recording is slow.
 */
const maxInFlightPerSlot = 3;
/**
 * Maximum number of deliveries of unknown webhooks (no response to the last request, or none for 30 s) that start in
 * one tick of the event loop, because hundreds of them can become due at once. The maximum applies separately to
 * deliveries from the queue and to deliveries claimed at write. With a common maximum, a burst of alerts could make
 * many deliveries wait for a tick, and while more than 50 wait, no delivery from the queue is claimed (`createClaim`).
 */
const unknownPerTick = 4;
/**
 * Maximum number of deliveries claimed at write that start in one tick of the event loop, round robin by workspace.
 * Deliveries of unknown webhooks are not counted; `unknownPerTick` limits them. One commit can make hundreds of
 * deliveries ready to start. If all of them started at once, the first responses and the reply to the next commit would
 * be processed late.
 */
const startsPerTick = 32;

export function createDeliveryProcessor(deps: DeliveryProcessorDeps): DeliveryProcessor {
  const { database, secretBox, databaseRetry, slots, config, settle, metrics, lease, onError } = deps;
  const webhooks = createWebhooksReader(deps);
  const ticks = createTickThrottle(unknownPerTick);
  const ticksAtWrite = {
    unknown: createTickThrottle(unknownPerTick),
    others: createTickThrottle(startsPerTick),
  };
  const claim = createClaim({
    repository: deps.claims,
    databaseRetry,
    waitingForTick: ticks.waiting,
    onBatch: (size) => metrics.batch('claim', size),
  });
  const deliver = createDeliver({
    ...deps,
    webhooks,
    render: createRenderBody(),
    bodyMemory: createBodyMemory(),
    recorder: createRecorder({
      ...deps,
      records: createRecordRepository(database, secretBox),
      pauses: createPauseRepository(database),
      onBatch: (size) => metrics.batch('record', size),
    }),
    failures: createFailureCounter(),
    policy: config.retry,
    now: Date.now,
    random: Math.random,
  });
  const isUnknown = ({ webhookId }: ClaimedDelivery) => slots.responsivenessOf(webhookId) === 'unknown';
  const deliverWithoutSlot = async (claimed: ClaimedDelivery) => {
    if (isUnknown(claimed)) await ticks.wait(claimed.workspaceId);
    await deliver(claimed);
  };
  const inFlight = createInFlightDeliveries(async (due) => {
    const claimed = await claim(due);
    if (claimed !== undefined) await deliverWithoutSlot(claimed);
  });
  let expiredInFlight = 0;
  const permits = createSemaphore({ permits: config.slots + maxUnrecorded });
  return {
    start(claimed, slot) {
      if (inFlight.has(claimed.deliveryId)) return slot.release();
      const deliverAfterWait = async () => {
        await ticksAtWrite[isUnknown(claimed) ? 'unknown' : 'others'].wait(claimed.workspaceId);
        await deliver(claimed, slot);
      };
      inFlight.track(claimed.deliveryId, deliverAfterWait).catch(onError);
    },
    startLimited(claimed) {
      if (inFlight.has(claimed.deliveryId)) return;
      const isExpired = claimed.limitedClaim === 'expired';
      if (isExpired) expiredInFlight += 1;
      // An expired delivery makes no request, so it needs no tick. While deliveries wait for ticks, few are claimed.
      inFlight
        .track(claimed.deliveryId, () => (isExpired ? deliver(claimed) : deliverWithoutSlot(claimed)))
        .catch(onError)
        .finally(() => {
          if (isExpired) expiredInFlight -= 1;
        });
    },
    expiredInFlight: () => expiredInFlight,
    handleDue(message) {
      const due = decodeDeliveriesDue(message.content);
      if (due === undefined) return settle(message, malformed);
      const deliverOne = async (one: DeliveryDue) => {
        // A message that was returned to the broker is not processed, because the broker delivers it again, to this or
        // another worker.
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
  detail: 'The message is not a list of due deliveries. Only Tocsin may publish to this queue.',
} as const;

/**
 * Waits until every promise is fulfilled or rejected.
 * @throws the first error
 */
async function allEnded(promises: Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(promises);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
