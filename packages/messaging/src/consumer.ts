import type { Channel, ConsumeMessage } from 'amqplib';
import { createAcker } from './acker.js';
import type { Broker } from './connection.js';
import { createHand } from './hand.js';
import { Held, type Incoming, type Settlement, type Source } from './held-message.js';
import { createPrefetch } from './prefetch.js';
import { createSubscription, type Subscription } from './subscription.js';

export interface ConsumerOptions {
  queue: string;
  /** Messages that are unacknowledged at the most. */
  prefetch: number;
  /**
   * With more than this in hand, no more is taken until it is half. What is on its way still comes, so with this set the
   * broker is asked for few messages at first, and for more as they prove small.
   */
  maxBytes?: number;
  /** Settles the message by the promise that it returns; or, returning none, calls `done` or `failed` once. */
  handle: (message: Incoming) => Promise<void> | undefined;
  onError: (error: unknown) => void;
}

export interface Consumer {
  /** Takes no more messages; those taken go on. Used to wait out trouble and to shut down. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the channel, so that the broker gives what is in hand to others. A new one is opened, paused where this is. */
  handBack(): Promise<void>;
  /** Messages taken and not settled. */
  inHand(): number;
  /** Resolves when nothing is in hand. */
  drained(): Promise<void>;
}

/** A channel, and what was asked for and is acknowledged on it. */
interface Reading extends Source {
  channel: Channel;
  subscription: Subscription;
}

const firstRetryMs = 1_000;
const maxRetryMs = 5_000;

/** Reads one queue. The only place that acknowledges; nothing is ever put back by nack and requeue. */
export async function createConsumer(broker: Broker, options: ConsumerOptions): Promise<Consumer> {
  const { queue, maxBytes = Number.POSITIVE_INFINITY, handle, onError } = options;
  let reading: Reading | undefined;
  let isWanted = true;
  const prefetch = createPrefetch({ max: options.prefetch, maxBytes });
  /** A channel on which a step fails ends with it, and is opened again. */
  const tryToSteer = async () => reading?.subscription.follow().catch(() => {});
  const want = async (isWantedNow: boolean) => {
    isWanted = isWantedNow;
    await tryToSteer();
  };
  const hand = createHand({ maxBytes, onChange: () => void tryToSteer() });

  const hold = (held: Held): void => {
    hand.add(held.bytes);
    try {
      handle(held)?.then(
        () => held.done(),
        (error: unknown) => held.failed(error),
      );
    } catch (error) {
      held.failed(error);
    }
  };
  const settlement: Settlement = {
    isHandedBack: (held) => reading !== held.from,
    done(held) {
      held.from.acker.done(held.tag);
      hand.release(held.bytes);
    },
    failed(held, error) {
      // Whoever has it now tells what is wrong with it.
      if (held.isHandedBack()) return hand.release(held.bytes);
      onError(error);
      setTimeout(() => held.isHandedBack() || hold(held), retryDelayMs(held.failures)).unref();
      held.failures += 1;
      hand.release(held.bytes);
    },
  };
  const take = (on: Reading, message: ConsumeMessage | null): void => {
    if (message === null) {
      // The broker cancelled the consumer (the queue moved or was deleted): the channel starts over.
      on.channel.close().catch(() => {});
      return;
    }
    on.acker.taken(message.fields.deliveryTag);
    const held = new Held(message, on, settlement);
    prefetch.came(held.bytes);
    hold(held);
    on.subscription.askIfSmall();
  };

  await broker.use(async (channel) => {
    const subscription = createSubscription(channel, {
      queue,
      prefetch,
      mayTake: () => isWanted && !hand.isFull(),
      inHand: hand.count,
      onMessage: (message) => take(opened, message),
    });
    // One acker for the whole life of the channel: acknowledging a prefix would else take in what was taken before a pause.
    const opened: Reading = { queue, channel, acker: createAcker(channel), subscription };
    channel.on('close', () => {
      if (reading === opened) reading = undefined;
    });
    reading = opened;
    await subscription.follow();
  });

  return {
    pause: () => want(false),
    resume: () => want(true),
    async handBack() {
      const channel = reading?.channel;
      if (channel === undefined) return;
      // The promise of its closing never settles where the connection dies meanwhile; one that is closed says so no more.
      await new Promise<void>((resolve) => {
        channel.once('close', resolve);
        channel.close().catch(() => resolve());
      });
    },
    inHand: hand.count,
    drained: hand.drained,
  };
}

/** Of random length, so that what failed together is not tried together for ever. */
function retryDelayMs(failures: number): number {
  return Math.min(maxRetryMs, firstRetryMs * 2 ** failures) * (0.5 + Math.random() / 2);
}
