import type { Channel, ConsumeMessage } from 'amqplib';

/** The subscription of one channel to a queue. It exists while the consumer may receive messages. */
export interface Subscription {
  /**
   * Subscribes if `mayReceive` returns true, and unsubscribes otherwise. Rejects if the channel closes while it
   * subscribes.
   */
  update(): Promise<void>;
  /** Must be called for each received message with its size. */
  received(bytes: number): void;
}

export interface SubscriptionOptions {
  queue: string;
  /** Maximum number of messages in flight. */
  prefetch: number;
  /** Prefetch until the mean size of 32 messages is known. Default: 32. */
  firstPrefetch?: number | undefined;
  /**
   * Target for the number of bytes in flight. The prefetch is computed from this target and the mean size of the
   * messages.
   */
  targetBytes: number;
  mayReceive: () => boolean;
  /** Number of messages in flight. */
  inFlight: () => number;
  /** `null` means that the broker has cancelled the subscription. */
  onMessage: (message: ConsumeMessage | null) => void;
}

/**
 * Number of messages from which the mean size is computed, and default of `firstPrefetch`. The configuration in `infra/rabbitmq` limits each message to 1 MiB, so 32 messages have at
 * most 32 MiB. With the workers' prefetch of 40,000, up to 40 GiB could arrive.
 */
const sampleSize = 32;

export function createSubscription(channel: Channel, options: SubscriptionOptions): Subscription {
  const { queue, targetBytes, mayReceive, inFlight, onMessage } = options;
  const first = Math.min(options.firstPrefetch ?? sampleSize, options.prefetch);
  /**
   * Tags of the AMQP consumers on the channel, at most two. The prefetch of a consumer cannot be changed after its
   * start. To increase the total prefetch, a second consumer is started, whose prefetch is the difference.
   */
  let consumerTags: string[] = [];
  let isExtended = false;
  /** Number of messages received since `update` subscribed. */
  let received = 0;
  let sample = { count: 0, bytes: 0 };
  let isClosed = false;
  let lastStep: Promise<void> = Promise.resolve();
  channel.on('close', () => {
    isClosed = true;
  });

  /**
   * Runs calls of `update` and `extend` one after the other. Each call waits for replies from the broker. If another
   * call ran during this wait, both calls could subscribe.
   */
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const step = lastStep.then(work);
    lastStep = step.catch(() => {});
    return step;
  };
  const subscribe = async (count: number): Promise<void> => {
    const [, { consumerTag }] = await Promise.all([
      channel.prefetch(count),
      channel.consume(queue, onMessage),
    ]);
    consumerTags.push(consumerTag);
  };
  const update = async (): Promise<void> => {
    if (isClosed) return;
    if (mayReceive() && consumerTags.length === 0) {
      isExtended = false;
      received = 0;
      sample = { count: 0, bytes: 0 };
      await subscribe(first);
    }
    // `mayReceive` is called again, because its result can have changed during the wait for the broker's reply.
    if (mayReceive()) return;
    const tags = consumerTags;
    consumerTags = [];
    // `cancel` rejects if the channel has closed; the subscription has then ended as well.
    await Promise.all(tags.map((tag) => channel.cancel(tag).catch(() => {})));
  };
  const extend = async (count: number): Promise<void> => {
    if (!isClosed && mayReceive() && consumerTags.length === 1) await subscribe(count);
  };

  return {
    update: () => inOrder(update),
    received(bytes) {
      received += 1;
      sample.count += 1;
      sample.bytes += bytes;
      if (isExtended || sample.count < Math.min(sampleSize, options.prefetch)) return;
      const fitting = Math.floor((targetBytes * sample.count) / sample.bytes);
      const count = Math.min(fitting - first, options.prefetch - Math.max(first, inFlight()));
      sample = { count: 0, bytes: 0 };
      // If more messages are in flight, some are from before the subscription. The prefetch of the second consumer is
      // final, so it must not be reduced for messages that will soon be acknowledged.
      if (count <= 0 || inFlight() > received) return;
      isExtended = true;
      inOrder(() => extend(count)).catch(() => {});
    },
  };
}
