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
import { maxUnrecorded } from './delivery/delivery-processor.js';

/**
 * Reason for a pause of the consumers: the database is unavailable (`database`), or the keys of this worker do not
 * decrypt the values in the database (`keys`). In both cases, another worker may be able to process the messages.
 */
type ConsumerPauseReason = 'database' | 'keys';

/**
 * The consumers of the queue of alerts, the queue of unroutable alerts, and the queue of deliveries. They receive
 * messages while no reason for a pause is set.
 */
export interface Consumers {
  open(handlers: Handlers): Promise<void>;
  /** Adds a reason for a pause of the consumers. Messages in flight are still processed. */
  pause(reason: ConsumerPauseReason): void;
  /** Removes a reason for a pause. When none is left, the consumers receive messages again. */
  resume(reason: ConsumerPauseReason): void;
  /** Returns the messages in flight to the broker. */
  returnToBroker(): Promise<void>;
  /** Stops receiving messages. Resolves when no message is in flight. */
  drain(): Promise<void>;
}

interface Handlers {
  alerts: {
    handle(message: QueueMessage): void;
    /** Removes all alerts that wait for a batch, and settles the message of each one with the error. */
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
  /** Signal that is aborted when the worker stops. */
  signal: AbortSignal;
}

/**
 * Maximum number of alerts in flight. The queue is first in, first out, but the worker serves the alerts in flight
 * round robin by workspace. When alerts are published faster than they are written, only the alerts in flight are
 * served fairly, so this maximum is large (docs/adr/0010).
 */
const alertPrefetch = 40_000;
/**
 * Prefetch of the queue of unroutable alerts. This queue is usually empty. Alerts get into it only if they cannot be
 * routed, for example while a binding of the queue of alerts is missing.
 */
const unroutedPrefetch = 1_000;
/**
 * Maximum time that a stopping worker waits for the broker's replies when it pauses its consumers, in milliseconds. An
 * unresponsive broker does not reply. Messages that arrive after this time return to their queue when the channel
 * closes.
 */
const pauseTimeoutMs = 2_000;

export function createConsumers(deps: ConsumersDeps): Consumers {
  const { brokers, slots, onError } = deps;
  const consumers: Consumer[] = [];
  // The consumers start paused. The first check of the keys that succeeds resumes them.
  const pausedBy = new Set<ConsumerPauseReason>(['keys']);
  let rejectWaiting: (error: Error) => void = () => {};
  const all = <T>(step: (consumer: Consumer) => Promise<T>) => Promise.all(consumers.map(step));
  const open = async (broker: Broker, options: Pick<ConsumerOptions, 'queue' | 'prefetch' | 'handle'>) =>
    consumers.push(await createConsumer(broker, { ...options, onError, isPaused: true }));
  const update = () => all((consumer) => (pausedBy.size > 0 ? consumer.pause() : consumer.resume()));
  const returnToBroker = async () => {
    await all((consumer) => consumer.returnToBroker());
    rejectWaiting(new Error('The message was returned to the broker.'));
  };
  const pause = (reason: ConsumerPauseReason) => {
    pausedBy.add(reason);
    void update();
  };
  const resume = (reason: ConsumerPauseReason) => {
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
      // With twice as many messages as slots, half of the messages can wait for slow destinations while the other half
      // keeps all slots busy. A further `maxUnrecorded` messages can wait until their outcomes are recorded.
      const prefetch = 2 * slots + maxUnrecorded;
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

/**
 * Length of a database outage after which messages are returned to the broker, in milliseconds. A restart or a failover
 * of the database usually takes less time.
 */
const returnAfterMs = 15_000;

/**
 * Pauses the consumers while the database is unavailable. After 15 s the messages in flight are returned to the broker,
 * because the database may be available to other workers. This worker still records the outcomes of the requests that
 * it has sent, as soon as the database is available again.
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
