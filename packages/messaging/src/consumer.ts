import type { Channel, ConsumeMessage } from 'amqplib';
import { type Acker, createAcker } from './acker.js';
import type { Broker } from './connection.js';

/** A message in hand. Tens of thousands can be at once: what is kept of each is this and no more. */
export interface Incoming {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  /** As the publisher set them: anything at all may stand here. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The broker has handed this message out before. */
  readonly redelivered: boolean;
  /** All that it stands for is committed: it is acknowledged. */
  done(): void;
  /** It is handed over again, later each time; or to whoever the broker gives it when this consumer's channel ends. */
  failed(error: unknown): void;
}

export interface ConsumerOptions {
  queue: string;
  /** Messages that are unacknowledged at the most. */
  prefetch: number;
  /** With more than this in hand, no more is taken until it is half; what is on its way still comes. */
  maxBytes?: number;
  /** Settles the message by the promise that it returns; or, returning none, calls `done` or `failed` once. */
  handle: (message: Incoming) => Promise<void> | undefined;
  onError: (error: unknown) => void;
}

export interface Consumer {
  /** Takes no more messages; those taken go on. Used to wait out trouble and to shut down. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Messages taken and not settled. */
  inHand(): number;
  /** Resolves when nothing is in hand. */
  drained(): Promise<void>;
}

/** A channel, and the subscription on it while messages are wanted. */
interface Reading {
  queue: string;
  channel: Channel;
  /** One for the whole life of the channel: acknowledging a prefix would else take in what was taken before a pause. */
  acker: Acker;
  consumerTag: string | undefined;
}

const firstRetryMs = 1_000;
const maxRetryMs = 60_000;

/** Reads one queue. The only place that acknowledges; nothing is ever put back by nack and requeue. */
export async function createConsumer(broker: Broker, options: ConsumerOptions): Promise<Consumer> {
  let reading: Reading | undefined;
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  let wanted = true;
  let full = false;
  let inHand = 0;
  let bytesInHand = 0;
  let idle: (() => void)[] = [];
  let steering: Promise<void> = Promise.resolve();

  const weigh = (bytes: number) => {
    bytesInHand += bytes;
    const before = full;
    full = bytesInHand > (full ? maxBytes / 2 : maxBytes);
    if (full !== before) void steer().catch(options.onError);
  };
  const release = ({ content }: Held) => {
    inHand -= 1;
    weigh(-content.length);
    if (inHand > 0) return;
    for (const wake of idle) wake();
    idle = [];
  };
  const hold = (held: Held): void => {
    inHand += 1;
    weigh(held.content.length);
    try {
      options.handle(held)?.then(
        () => held.done(),
        (error: unknown) => held.failed(error),
      );
    } catch (error) {
      held.failed(error);
    }
  };
  const settlement: Settlement = {
    done(held) {
      held.on.acker.done(held.tag);
      release(held);
    },
    failed(held, error) {
      options.onError(error);
      const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** held.failures);
      held.failures += 1;
      setTimeout(() => reading === held.on && hold(held), delayMs).unref();
      release(held);
    },
  };
  const subscribe = async (on: Reading): Promise<void> => {
    const reply = await on.channel.consume(options.queue, (message) => {
      if (message === null) {
        // The broker cancelled the consumer (the queue moved or was deleted): the channel starts over.
        on.consumerTag = undefined;
        on.channel.close().catch(() => {});
        return;
      }
      on.acker.taken(message.fields.deliveryTag);
      hold(new Held(message, on, settlement));
    });
    on.consumerTag = reply.consumerTag;
  };
  const follow = async (): Promise<void> => {
    const on = reading;
    if (on === undefined) return;
    if (wanted && !full && on.consumerTag === undefined) await subscribe(on);
    if ((wanted && !full) || on.consumerTag === undefined) return;
    const tag = on.consumerTag;
    on.consumerTag = undefined;
    // A channel that has ended has no subscription either.
    await on.channel.cancel(tag).catch(() => {});
  };
  /** One step at a time: each takes a round trip, and meanwhile something else may have come to be wanted. */
  const steer = (): Promise<void> => {
    const step = steering.then(follow);
    steering = step.catch(() => {});
    return step;
  };

  await broker.use(async (channel) => {
    const opened: Reading = {
      queue: options.queue,
      channel,
      acker: createAcker(channel),
      consumerTag: undefined,
    };
    channel.on('close', () => {
      if (reading === opened) reading = undefined;
    });
    reading = opened;
    await channel.prefetch(options.prefetch);
    await steer();
  });

  return {
    async pause() {
      wanted = false;
      await steer().catch(options.onError);
    },
    async resume() {
      wanted = true;
      await steer().catch(options.onError);
    },
    inHand: () => inHand,
    drained: () => (inHand === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}

interface Settlement {
  done(held: Held): void;
  failed(held: Held, error: unknown): void;
}

/** A class, so that a message held costs no closures. */
class Held implements Incoming {
  readonly content: Buffer;
  readonly queue: string;
  readonly routingKey: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly redelivered: boolean;
  readonly tag: number;
  readonly on: Reading;
  failures = 0;
  readonly #settlement: Settlement;

  constructor({ content, fields, properties }: ConsumeMessage, on: Reading, settlement: Settlement) {
    this.content = content;
    this.queue = on.queue;
    this.routingKey = fields.routingKey;
    this.headers = properties.headers ?? noHeaders;
    this.redelivered = fields.redelivered;
    this.tag = fields.deliveryTag;
    this.on = on;
    this.#settlement = settlement;
  }

  done(): void {
    this.#settlement.done(this);
  }

  failed(error: unknown): void {
    this.#settlement.failed(this, error);
  }
}

const noHeaders = Object.freeze({});
