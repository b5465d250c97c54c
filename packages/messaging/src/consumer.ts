import { exponentialBackoffMs } from '@tocsin/kit';
import type { Channel, ConsumeMessage, Message } from 'amqplib';
import { type AckBatcher, createAckBatcher } from './ack-batcher.js';
import type { Broker } from './connection.js';
import { createInFlightBytes } from './in-flight-bytes.js';
import {
  InFlightMessage,
  type MessageSource,
  type QueueMessage,
  type Settlement,
} from './in-flight-message.js';
import { createSubscription, type Subscription } from './subscription.js';

export interface ConsumerOptions {
  queue: string;
  /** Maximum number of messages in flight. */
  prefetch: number;
  /**
   * Maximum number of bytes of unacknowledged messages. The consumer requests 32 messages until it knows their mean
   * size. Then it requests as many as fit in half of `maxBytes`, but at most `prefetch`. Above `maxBytes` it returns
   * all messages to the broker, unless only one is in flight. It receives messages again when at most half of
   * `maxBytes` is in flight, first a single one. Default: 64 MiB.
   */
  maxBytes?: number;
  /**
   * Called for each received message and for each retry. It must settle the message with one call of `ack` or `retry`,
   * during the call or later. A thrown error counts as a call of `retry`.
   */
  handle: (message: QueueMessage) => void;
  /** If true, the consumer starts paused. Default: false. */
  isPaused?: boolean;
  /**
   * Called with the error of each `retry`, unless the message was returned to the broker, and with an error each time
   * `maxBytes` is exceeded.
   */
  onError: (error: unknown) => void;
}

export interface Consumer {
  /** Stops receiving messages. The handler still settles the messages in flight. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Closes the channel, so that the broker delivers all unacknowledged messages again, to any consumer. This includes
   * messages that wait for a retry. A new channel is opened; it stays paused if the consumer is paused.
   */
  returnToBroker(): Promise<void>;
  /**
   * Number of messages that the handler is processing. Messages that wait for a retry are unacknowledged too, but are
   * not counted.
   */
  inFlight(): number;
  /** Resolves when the handler is processing no message. Messages that wait for a retry do not count. */
  drained(): Promise<void>;
}

/** An open channel with its subscription and its batcher of acknowledgements. */
interface ConsumerChannel extends MessageSource {
  channel: Channel;
  subscription: Subscription;
}

/**
 * Default of `maxBytes`. It protects the memory of the process from large messages. Half of it, 32 MiB, is enough for
 * 40,000 alerts of the usual size of 600 bytes.
 */
const defaultMaxBytes = 64 * 1_048_576;
const retryBackoff = { firstMs: 1_000, maxMs: 5_000 };

/**
 * Consumes one queue. All acknowledgements of the process go through consumers, and no message is requeued with a nack.
 */
export async function createConsumer(broker: Broker, options: ConsumerOptions): Promise<Consumer> {
  const { queue, maxBytes = defaultMaxBytes, handle, onError } = options;
  let current: ConsumerChannel | undefined;
  let isPaused = options.isPaused ?? false;
  /** True if the last channel was closed because `maxBytes` was exceeded. */
  let wasAboveLimit = false;
  /**
   * Subscribes if the consumer may receive messages, and unsubscribes otherwise. Errors are ignored: the channel of a
   * failed call closes, and a new channel is opened.
   */
  const update = async () => current?.subscription.update().catch(() => {});
  const setPaused = async (paused: boolean) => {
    isPaused = paused;
    await update();
  };
  const inFlight = createInFlightBytes({
    maxBytes,
    onChange: () => void update(),
  });

  const returnToBroker = async () => {
    const channel = current?.channel;
    if (channel === undefined) return;
    // The promise that `close` returns never settles if the connection ends during the call. The event `close` is
    // emitted in this case too.
    await new Promise<void>((resolve) => {
      channel.once('close', resolve);
      channel.close().catch(() => resolve());
    });
  };
  /**
   * Returns all messages to the broker by closing the channel. Unsubscribing is not enough, because messages that the
   * broker has already sent still arrive. The next channel first requests a single message. A message that is alone in
   * flight is settled even if it exceeds the limit. With several messages, the same ones could be returned again and
   * again.
   */
  const returnAboveLimit = () => {
    wasAboveLimit = true;
    onError(
      new Error(`More than ${maxBytes} bytes of messages were in flight and are returned to the broker.`),
    );
    void returnToBroker();
  };

  const deliver = (message: InFlightMessage): void => {
    try {
      handle(message);
    } catch (error) {
      message.retry(error);
    }
  };
  const settlement: Settlement = {
    isReturned: (message) => current !== message.source,
    ack(message) {
      message.source.acks.ack(message.tag);
      inFlight.remove(message.bytes);
    },
    retry(message, error) {
      // If the message was returned to the broker meanwhile, the broker delivers it again. The error of this copy is
      // therefore not reported.
      if (message.isReturned()) return inFlight.remove(message.bytes);
      onError(error);
      const again = () => {
        inFlight.endWait();
        if (message.isReturned()) inFlight.remove(message.bytes);
        else deliver(message);
      };
      message.failures += 1;
      setTimeout(again, exponentialBackoffMs(message.failures, retryBackoff)).unref();
      inFlight.startWait();
    },
  };
  const receive = (on: ConsumerChannel, message: ConsumeMessage | null): void => {
    if (message === null) {
      // A null message means that the broker has cancelled the consumer, because the queue has moved or was deleted. A
      // new channel subscribes again.
      on.channel.close().catch(() => {});
      return;
    }
    on.acks.received(message.fields.deliveryTag);
    const received = new InFlightMessage(message, on, settlement);
    inFlight.add(received.bytes);
    if (inFlight.isFull() && inFlight.unsettled() > 1) returnAboveLimit();
    deliver(received);
    on.subscription.received(received.bytes);
  };

  await broker.use(async (channel) => {
    const subscription = createSubscription(channel, {
      queue,
      prefetch: options.prefetch,
      firstPrefetch: wasAboveLimit ? 1 : undefined,
      targetBytes: maxBytes / 2,
      mayReceive: () => !isPaused && !inFlight.isFull(),
      inFlight: inFlight.count,
      onMessage: (message) => receive(opened, message),
    });
    const opened: ConsumerChannel = { queue, channel, acks: ackBatcherOf(channel), subscription };
    channel.on('close', () => {
      opened.acks.close();
      if (current === opened) current = undefined;
    });
    current = opened;
    wasAboveLimit = false;
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

/**
 * Creates the batcher of acknowledgements for a channel. The batcher is kept during pauses of the consumer, because it
 * needs all messages in flight to decide which ones a single frame can acknowledge.
 */
function ackBatcherOf(channel: Channel): AckBatcher {
  // amqplib reads only the delivery tag of the message that it acknowledges.
  return createAckBatcher((deliveryTag, allUpTo) =>
    channel.ack({ fields: { deliveryTag } } as Message, allUpTo),
  );
}
