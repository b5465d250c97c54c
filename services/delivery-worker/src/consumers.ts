import { setTimeout as sleep } from 'node:timers/promises';
import {
  alertFiredQueue,
  type Broker,
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  deliveriesQueue,
  unroutedQueue,
} from '@tocsin/messaging';
import { maxRecordsInHand } from './delivery/create-delivery.js';

/** Those of the worker's three queues, as one. */
export interface Consumers {
  open(handlers: Handlers): Promise<void>;
  pause(): Promise<unknown>;
  resume(): Promise<unknown>;
  /** What is in hand is given to others by the broker. */
  returnToBroker(): Promise<unknown>;
  /** Takes no more; resolves when nothing is in hand. */
  drain(): Promise<void>;
}

interface Handlers {
  alert: ConsumerOptions['handle'];
  due: ConsumerOptions['handle'];
  /** Requests under way at the most. */
  slots: number;
}

/**
 * Alerts that a worker holds at once, to take them over in turn by workspace: what is still in the queue is first come,
 * first served, and a storm is published faster than it can be written (docs/adr/0030).
 */
const alertPrefetch = 40_000;
/** Of one queue. A few kilobytes are ours; what others publish there may be of any size. */
const maxBytes = 32 * 1_048_576;
/** Of what was not routed there are few, or nobody's bindings are in order. */
const unroutedPrefetch = 1_000;
/** A frozen broker does not answer; what it hands out all the same is refused, and goes back with the channel. */
const pausePatienceMs = 2_000;

export function createConsumers(broker: Broker, onError: (error: unknown) => void): Consumers {
  const consumers: Consumer[] = [];
  const all = <T>(step: (consumer: Consumer) => Promise<T>) => Promise.all(consumers.map(step));
  const open = async (options: Omit<ConsumerOptions, 'maxBytes' | 'onError'>) =>
    consumers.push(await createConsumer(broker, { ...options, maxBytes, onError }));
  const pause = () => all((consumer) => consumer.pause());
  return {
    async open({ alert, due, slots }) {
      await open({ queue: alertFiredQueue, prefetch: alertPrefetch, handle: alert });
      await open({ queue: unroutedQueue, prefetch: unroutedPrefetch, handle: alert });
      // Half of the hands may be full of what hangs, or waits for a slot, and the rest still keep the slots busy.
      await open({ queue: deliveriesQueue, prefetch: 2 * slots + maxRecordsInHand, handle: due });
    },
    pause,
    resume: () => all((consumer) => consumer.resume()),
    returnToBroker: () => all((consumer) => consumer.returnToBroker()),
    async drain() {
      const paused = new AbortController();
      const late = sleep(pausePatienceMs, undefined, { signal: paused.signal });
      await Promise.race([pause(), late]).finally(() => paused.abort());
      await all((consumer) => consumer.drained());
    },
  };
}
