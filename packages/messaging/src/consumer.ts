import { exponentialBackoffMs } from '@tocsin/kit';
import type { Channel, ConsumeMessage, Message } from 'amqplib';
import { type Acker, createAcker } from './acker.js';
import type { Broker } from './connection.js';
import { createInFlightBytes } from './in-flight-bytes.js';
import { InFlightMessage, type QueueMessage, type Settlement, type Source } from './in-flight-message.js';
import { createSubscription, type Subscription } from './subscription.js';

export interface ConsumerOptions {
  queue: string;
  /** Maximum number of messages in flight. */
  prefetch: number;
  /**
   * Limit of the bytes in flight. The consumer requests few messages until it knows their size, then as many as fit in
   * half of the limit. Above the limit it returns all messages to the broker and waits until at most half of the limit
   * is in flight.
   */
  maxBytes?: number;
  /** Settles the message with one call of `ack` or `retry`, now or later. An error that it throws is a `retry`. */
  handle: (message: QueueMessage) => void;
  /** True to start paused. */
  isPaused?: boolean;
  /** Called for each `retry`. */
  onError: (error: unknown) => void;
}

export interface Consumer {
  /** Stops receiving. Messages in flight are still handled. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Closes the channel, so that the broker delivers the messages in flight to any consumer. A new channel is opened,
   * paused if the consumer is paused.
   */
  returnToBroker(): Promise<void>;
  /** Number of messages that are received and not settled. */
  inFlight(): number;
  /** Resolves when no message is in flight. */
  drained(): Promise<void>;
}

/** A channel with its subscription and its acknowledgements. */
interface Reading extends Source {
  channel: Channel;
  subscription: Subscription;
}

const retryBackoff = { firstMs: 1_000, maxMs: 5_000 };

/** Consumes one queue. Nothing else acknowledges messages, and no message is ever requeued by a nack. */
export async function createConsumer(broker: Broker, options: ConsumerOptions): Promise<Consumer> {
  const { queue, maxBytes = Number.POSITIVE_INFINITY, handle, onError } = options;
  let reading: Reading | undefined;
  let isPaused = options.isPaused ?? false;
  /** Ignores errors: a step that fails ends its channel, and a new channel is opened. */
  const update = async () => reading?.subscription.update().catch(() => {});
  const setPaused = async (paused: boolean) => {
    isPaused = paused;
    await update();
  };
  const inFlight = createInFlightBytes({
    maxBytes,
    onChange: (isFull) => void (isFull ? returnAboveLimit() : update()),
  });

  const returnToBroker = async () => {
    const channel = reading?.channel;
    if (channel === undefined) return;
    // If the connection ends meanwhile, the promise of `close` never settles, but the event `close` is emitted.
    await new Promise<void>((resolve) => {
      channel.once('close', resolve);
      channel.close().catch(() => resolve());
    });
  };
  /** An unsubscription would not be enough, because all messages that the broker has already sent would still arrive. */
  const returnAboveLimit = () => {
    onError(
      new Error(`More than ${maxBytes} bytes of messages were in flight and are returned to the broker.`),
    );
    return returnToBroker();
  };

  const deliver = (message: InFlightMessage): void => {
    inFlight.add(message.bytes);
    try {
      handle(message);
    } catch (error) {
      message.retry(error);
    }
  };
  const settlement: Settlement = {
    isReturned: (message) => reading !== message.source,
    ack(message) {
      message.source.acker.ack(message.tag);
      inFlight.remove(message.bytes);
    },
    retry(message, error) {
      // The error of a returned message is left to the consumer that receives the message next.
      if (message.isReturned()) return inFlight.remove(message.bytes);
      onError(error);
      const again = () => message.isReturned() || deliver(message);
      message.failures += 1;
      setTimeout(again, exponentialBackoffMs(message.failures, retryBackoff)).unref();
      inFlight.remove(message.bytes);
    },
  };
  const receive = (on: Reading, message: ConsumeMessage | null): void => {
    if (message === null) {
      // The broker has cancelled the consumer, because the queue has moved or was deleted: the channel starts over.
      on.channel.close().catch(() => {});
      return;
    }
    on.acker.received(message.fields.deliveryTag);
    const received = new InFlightMessage(message, on, settlement);
    deliver(received);
    on.subscription.received(received.bytes);
  };

  await broker.use(async (channel) => {
    const subscription = createSubscription(channel, {
      queue,
      prefetch: options.prefetch,
      targetBytes: maxBytes / 2,
      mayReceive: () => !isPaused && !inFlight.isFull(),
      inFlight: inFlight.count,
      onMessage: (message) => receive(opened, message),
    });
    const opened: Reading = { queue, channel, acker: ackerOf(channel), subscription };
    channel.on('close', () => {
      opened.acker.close();
      if (reading === opened) reading = undefined;
    });
    reading = opened;
    await subscription.update();
  });

  return {
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    returnToBroker,
    inFlight: inFlight.count,
    drained: inFlight.drained,
  };
}

/** A channel keeps its acker across pauses: to acknowledge several messages at once, it must know all in flight. */
function ackerOf(channel: Channel): Acker {
  // The delivery tag is all that amqplib reads of a message that it acknowledges.
  return createAcker((deliveryTag, allUpTo) => channel.ack({ fields: { deliveryTag } } as Message, allUpTo));
}
