import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { type Acker, createAcker } from './acker.js';
import type { Broker } from './connection.js';

export interface Incoming {
  content: Buffer;
  routingKey: string;
  /** As the publisher set them: anything at all may stand here. */
  headers: Readonly<Record<string, unknown>>;
  /** The broker has handed this message out before. */
  redelivered: boolean;
}

export interface ConsumerOptions {
  queue: string;
  /** Messages that are unacknowledged at the most. */
  prefetch: number;
  /** With more than this in hand, no more is taken until it is half; what is on its way still comes. */
  maxBytes?: number;
  /**
   * Resolves when the message may be acknowledged: all that it stands for is committed. After a rejection it is called
   * again, later each time; or by whoever the broker hands the message to when this consumer's channel ends.
   */
  handle: (message: Incoming) => Promise<void>;
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
  channel: Channel;
  /** One for the whole life of the channel: acknowledging a prefix would else take in what was taken before a pause. */
  acker: Acker;
  consumerTag: string | undefined;
}

const reattachMs = 1_000;
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
  const settle = (bytes: number) => {
    inHand -= 1;
    weigh(-bytes);
    if (inHand > 0) return;
    for (const wake of idle) wake();
    idle = [];
  };
  const work = (on: Reading, message: ConsumeMessage, failures = 0): void => {
    inHand += 1;
    weigh(message.content.length);
    const retry = () => reading === on && work(on, message, failures + 1);
    options
      .handle(toIncoming(message))
      .then(
        () => on.acker.done(message),
        (error: unknown) => {
          options.onError(error);
          setTimeout(retry, Math.min(maxRetryMs, firstRetryMs * 2 ** failures)).unref();
        },
      )
      .finally(() => settle(message.content.length));
  };
  const subscribe = async (on: Reading): Promise<void> => {
    const reply = await on.channel.consume(options.queue, (message) => {
      if (message === null) {
        // The broker cancelled the consumer (the queue moved or was deleted): the channel starts over.
        on.consumerTag = undefined;
        on.channel.close().catch(() => {});
        return;
      }
      on.acker.taken(message);
      work(on, message);
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

  await broker.use(async function attach(model: ChannelModel): Promise<void> {
    const channel = await model.createChannel();
    const opened: Reading = { channel, acker: createAcker(channel), consumerTag: undefined };
    channel.on('error', () => {});
    channel.on('close', () => {
      if (reading !== opened) return;
      reading = undefined;
      // A channel can end alone; on a connection that ended too this fails and the next connection attaches anew.
      setTimeout(() => attach(model).catch(() => {}), reattachMs).unref();
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

function toIncoming({ content, fields, properties }: ConsumeMessage): Incoming {
  return {
    content,
    routingKey: fields.routingKey,
    headers: properties.headers ?? {},
    redelivered: fields.redelivered,
  };
}
