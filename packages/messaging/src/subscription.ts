import type { Channel, ConsumeMessage } from 'amqplib';
import type { Prefetch } from './prefetch.js';

/** What one channel has asked of the broker: messages of a queue while they may be taken, few at first. */
export interface Subscription {
  /** Asks for messages or calls them off, as they may be taken now or not. Rejects where the channel ends meanwhile. */
  follow(): Promise<void>;
  /** To be called when one has come: if those that came were small, more are asked for. */
  askIfSmall(): void;
}

export interface SubscriptionOptions {
  queue: string;
  /** Of all the channels of this consumer: the next knows what the last has seen. */
  prefetch: Prefetch;
  mayTake: () => boolean;
  inHand: () => number;
  /** `null` where the broker has ended the subscription. */
  onMessage: (message: ConsumeMessage | null) => void;
}

export function createSubscription(channel: Channel, options: SubscriptionOptions): Subscription {
  const { queue, prefetch, mayTake, inHand, onMessage } = options;
  /** Several, because the broker knows a consumer's prefetch by what it was as it began: each further one asks for more. */
  const consumerTags: string[] = [];
  let isOver = false;
  let isAsking = false;
  let steering: Promise<void> = Promise.resolve();
  channel.on('close', () => {
    isOver = true;
  });

  /** One step at a time: each takes a round trip, and meanwhile something else may have come to be wanted. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const step = steering.then(work);
    steering = step.catch(() => {});
    return step;
  };
  const subscribe = async (count: number): Promise<void> => {
    const [, { consumerTag }] = await Promise.all([
      channel.prefetch(count),
      channel.consume(queue, onMessage),
    ]);
    consumerTags.push(consumerTag);
  };
  const follow = async (): Promise<void> => {
    if (isOver) return;
    if (mayTake() && consumerTags.length === 0) await subscribe(prefetch.begin());
    if (mayTake()) return;
    // A channel that has ended has no subscription either.
    await Promise.all(consumerTags.splice(0).map((tag) => channel.cancel(tag).catch(() => {})));
  };
  const askForMore = async (count: number): Promise<void> => {
    // Else what was asked for has been called off meanwhile.
    if (!isOver && mayTake() && consumerTags.length > 0) await subscribe(count);
  };
  const askIfSmall = (): void => {
    if (isOver || isAsking || !mayTake()) return;
    const more = prefetch.more(inHand());
    if (more === 0) return;
    isAsking = true;
    const asked = () => {
      isAsking = false;
      // All of them may have come together with the answer, and until one is settled no other would ask.
      askIfSmall();
    };
    inTurn(() => askForMore(more)).then(asked, asked);
  };

  return { follow: () => inTurn(follow), askIfSmall };
}
