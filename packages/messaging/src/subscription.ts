import type { Channel, ConsumeMessage } from 'amqplib';
import type { Prefetch } from './prefetch.js';

/** The subscription of one channel to a queue. It exists while messages may be received. */
export interface Subscription {
  /** Subscribes or unsubscribes, as `mayReceive` says now. Rejects if the channel ends meanwhile. */
  update(): Promise<void>;
  /** Call it for each message received: requests more messages if those received were small. */
  requestMore(): void;
}

export interface SubscriptionOptions {
  queue: string;
  /** Shared by all channels of a consumer, for it remembers the sizes of messages. */
  prefetch: Prefetch;
  mayReceive: () => boolean;
  /** Number of messages in flight. */
  inFlight: () => number;
  /** `null`: the broker has cancelled the subscription. */
  onMessage: (message: ConsumeMessage | null) => void;
}

export function createSubscription(channel: Channel, options: SubscriptionOptions): Subscription {
  const { queue, prefetch, mayReceive, inFlight, onMessage } = options;
  /** The broker fixes a consumer's prefetch when it starts, so each request for more messages starts a further consumer. */
  const consumerTags: string[] = [];
  let isClosed = false;
  let isRequesting = false;
  let lastStep: Promise<void> = Promise.resolve();
  channel.on('close', () => {
    isClosed = true;
  });

  /** One step at a time. A step takes a round trip to the broker. */
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
    if (mayReceive() && consumerTags.length === 0) await subscribe(prefetch.first());
    // Asked again, because the answer can have changed during the round trip.
    if (mayReceive()) return;
    // A channel that has ended has no subscription either.
    await Promise.all(consumerTags.splice(0).map((tag) => channel.cancel(tag).catch(() => {})));
  };
  const requestMore = (): void => {
    if (isClosed || isRequesting || !mayReceive()) return;
    const count = prefetch.more(inFlight());
    if (count === 0) return;
    isRequesting = true;
    const done = () => {
      isRequesting = false;
      // All messages of this request can have arrived already, and then none follows that would request more.
      requestMore();
    };
    inOrder(async () => {
      if (!isClosed && mayReceive() && consumerTags.length > 0) await subscribe(count);
    }).then(done, done);
  };

  return { update: () => inOrder(update), requestMore };
}
