import { type Logger, withTimeout } from '@tocsin/kit';
import {
  alertFiredQueue,
  type Broker,
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  deliveriesQueue,
  type QueueMessage,
  unroutedQueue,
} from '@tocsin/messaging';
import type { DatabaseRetry } from './database-retry.js';
import { maxRecording } from './delivery/create-delivery.js';

/** Faults of the worker for which it must not receive messages: another worker may be able to process them. */
type PauseReason = 'database' | 'keys';

/** The consumers of the worker's three queues. They receive while there is no reason for a pause. */
export interface Consumers {
  open(handlers: Handlers): Promise<void>;
  /** Adds a reason for a pause. Messages in flight are still handled. */
  pause(reason: PauseReason): void;
  /** Removes a reason for a pause. */
  resume(reason: PauseReason): void;
  /** Returns the messages in flight to the broker. */
  returnToBroker(): Promise<void>;
  /** Stops receiving. Resolves when no message is in flight. */
  drain(): Promise<void>;
}

interface Handlers {
  alerts: {
    handle(message: QueueMessage): void;
    /** Rejects the messages that wait for a batch. */
    rejectWaiting(error: Error): void;
  };
  deliveries: { handle(message: QueueMessage): void };
}

export interface ConsumersDeps {
  brokers: { alerts: Broker; deliveries: Broker };
  availability: DatabaseRetry['availability'];
  /** Maximum number of requests in flight. */
  slots: number;
  onError: (error: unknown) => void;
  logger: Logger;
  /** Aborted when the worker stops. */
  signal: AbortSignal;
}

/**
 * Maximum number of alerts in flight. The worker serves them round robin by workspace, while the queue is first come,
 * first served. During a storm, alerts are published faster than they are written, and only those in flight are served
 * fairly (docs/adr/0010).
 */
const alertPrefetch = 40_000;
/**
 * Limit of the bytes in flight of each queue; the prefetch aims for half of it. Alerts have about 600 bytes, so the
 * half holds 40,000 of them; other publishers can send messages of any size.
 */
const maxBytes = 64 * 1_048_576;
/** Prefetch of the queue of unroutable alerts, which has few messages unless a binding is missing. */
const unroutedPrefetch = 1_000;
/**
 * Longest wait for a reply of the broker when consumers are paused, because a frozen broker does not reply. Messages
 * that it sends afterwards are returned when the channel closes.
 */
const pauseTimeoutMs = 2_000;

export function createConsumers(deps: ConsumersDeps): Consumers {
  const { brokers, slots, onError } = deps;
  const consumers: Consumer[] = [];
  const pausedBy = new Set<PauseReason>(['keys']);
  let rejectWaiting: (error: Error) => void = () => {};
  const all = <T>(step: (consumer: Consumer) => Promise<T>) => Promise.all(consumers.map(step));
  const open = async (broker: Broker, options: Pick<ConsumerOptions, 'queue' | 'prefetch' | 'handle'>) =>
    consumers.push(await createConsumer(broker, { ...options, maxBytes, onError, isPaused: true }));
  const update = () => all((consumer) => (pausedBy.size > 0 ? consumer.pause() : consumer.resume()));
  const returnToBroker = async () => {
    await all((consumer) => consumer.returnToBroker());
    rejectWaiting(new Error('The message was returned to the broker.'));
  };
  const pause = (reason: PauseReason) => {
    pausedBy.add(reason);
    void update();
  };
  const resume = (reason: PauseReason) => {
    pausedBy.delete(reason);
    void update();
  };
  return {
    async open({ alerts, deliveries }) {
      rejectWaiting = alerts.rejectWaiting;
      pauseWhileUnavailable(deps, {
        pause: () => pause('database'),
        resume: () => resume('database'),
        returnToBroker,
      });
      await open(brokers.alerts, { queue: alertFiredQueue, prefetch: alertPrefetch, handle: alerts.handle });
      await open(brokers.alerts, { queue: unroutedQueue, prefetch: unroutedPrefetch, handle: alerts.handle });
      // Twice the slots: while half of the messages wait for a slow destination or a slot, the other half keeps all
      // slots busy.
      const prefetch = 2 * slots + maxRecording;
      await open(brokers.deliveries, { queue: deliveriesQueue, prefetch, handle: deliveries.handle });
      void update();
    },
    pause,
    resume,
    returnToBroker,
    async drain() {
      const stop = all((consumer) => consumer.pause());
      await withTimeout(stop, { timeoutMs: pauseTimeoutMs }).catch(() => {});
      await all((consumer) => consumer.drained());
    },
  };
}

interface Pausable {
  pause(): void;
  resume(): void;
  returnToBroker(): Promise<unknown>;
}

/** Time after which messages are returned to the broker: longer than a restart or a failover of the database. */
const returnAfterMs = 15_000;

/**
 * Pauses while the database is unavailable. After 15 s the messages in flight are returned to the broker: the database
 * may be available to other workers. Deliveries that have been sent are still recorded once it is available again.
 */
export function pauseWhileUnavailable(
  { availability, logger, signal }: Pick<ConsumersDeps, 'availability' | 'logger' | 'signal'>,
  consumers: Pausable,
): void {
  let timer: NodeJS.Timeout | undefined;
  availability.on('unavailable', () => {
    consumers.pause();
    timer = setTimeout(() => {
      if (signal.aborted) return;
      logger.warn({}, 'database.unavailable_long');
      void consumers.returnToBroker();
    }, returnAfterMs).unref();
  });
  availability.on('available', () => {
    clearTimeout(timer);
    if (!signal.aborted) consumers.resume();
  });
}
