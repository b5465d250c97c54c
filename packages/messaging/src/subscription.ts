import type { Channel, ConsumeMessage } from 'amqplib';

/** The subscription of one channel to a queue. It exists while messages may be received. */
export interface Subscription {
  /** Subscribes if `mayReceive` returns true, and unsubscribes otherwise. Rejects if the channel ends meanwhile. */
  update(): Promise<void>;
  /** Call it for each message received. */
  received(bytes: number): void;
}

export interface SubscriptionOptions {
  queue: string;
  /** Maximum number of messages in flight. */
  prefetch: number;
  /** Number of bytes in flight that the prefetch aims for. */
  targetBytes: number;
  mayReceive: () => boolean;
  /** Number of messages in flight. */
  inFlight: () => number;
  /** `null`: the broker has cancelled the subscription. */
  onMessage: (message: ConsumeMessage | null) => void;
}

/**
 * Prefetch until the size of the messages is known. Thirty-two of the largest messages that the shipped configuration
 * of RabbitMQ accepts take 32 MiB; a prefetch of 40,000 would allow 40 GiB of them.
 */
const firstPrefetch = 32;

export function createSubscription(channel: Channel, options: SubscriptionOptions): Subscription {
  const { queue, targetBytes, mayReceive, inFlight, onMessage } = options;
  const first =
    targetBytes === Number.POSITIVE_INFINITY ? options.prefetch : Math.min(firstPrefetch, options.prefetch);
  /**
   * Tags of one or two consumers. The broker fixes the prefetch of a consumer when it starts, so a second consumer
   * extends it.
   */
  let consumerTags: string[] = [];
  let isExtended = false;
  let sample = { count: 0, bytes: 0 };
  let isClosed = false;
  let lastStep: Promise<void> = Promise.resolve();
  channel.on('close', () => {
    isClosed = true;
  });

  /** Steps run one after the other, because each takes a round trip to the broker. */
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
      sample = { count: 0, bytes: 0 };
      await subscribe(first);
    }
    // The result of `mayReceive` can have changed during the round trip.
    if (mayReceive()) return;
    const tags = consumerTags;
    consumerTags = [];
    // A channel that has ended has no subscription either.
    await Promise.all(tags.map((tag) => channel.cancel(tag).catch(() => {})));
  };
  const extend = async (count: number): Promise<void> => {
    if (!isClosed && mayReceive() && consumerTags.length === 1) await subscribe(count);
  };

  return {
    update: () => inOrder(update),
    received(bytes) {
      sample.count += 1;
      sample.bytes += bytes;
      if (isExtended || sample.count < first) return;
      const fitting = Math.floor((targetBytes * sample.count) / sample.bytes);
      const count = Math.min(fitting - first, options.prefetch - Math.max(first, inFlight()));
      sample = { count: 0, bytes: 0 };
      if (count <= 0) return;
      isExtended = true;
      inOrder(() => extend(count)).catch(() => {});
    },
  };
}
