import type { Channel, ChannelModel } from 'amqplib';
import { createAcker } from './acker.js';
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
  /**
   * Resolves when the message may be acknowledged: all that it stands for is committed. A rejection leaves the message
   * unacknowledged, so that the broker hands it out again when this consumer's channel ends.
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

/** Reads one queue. The only place that acknowledges; nothing is ever put back by nack and requeue. */
export async function createConsumer(broker: Broker, options: ConsumerOptions): Promise<Consumer> {
  let channel: Channel | undefined;
  let consumerTag: string | undefined;
  let wanted = true;
  let inHand = 0;
  let idle: (() => void)[] = [];

  const settle = () => {
    inHand -= 1;
    if (inHand > 0) return;
    for (const wake of idle) wake();
    idle = [];
  };
  const subscribe = async (): Promise<void> => {
    const open = channel;
    if (open === undefined || consumerTag !== undefined || !wanted) return;
    const acker = createAcker(open);
    const reply = await open.consume(options.queue, (message) => {
      if (message === null) {
        // The broker cancelled the consumer (the queue moved or was deleted): the channel starts over.
        consumerTag = undefined;
        open.close().catch(() => {});
        return;
      }
      inHand += 1;
      acker.taken(message);
      options
        .handle({
          content: message.content,
          routingKey: message.fields.routingKey,
          headers: message.properties.headers ?? {},
          redelivered: message.fields.redelivered,
        })
        .then(() => acker.done(message), options.onError)
        .finally(settle);
    });
    consumerTag = reply.consumerTag;
  };

  await broker.use(async function attach(model: ChannelModel): Promise<void> {
    const opened = await model.createChannel();
    opened.on('error', () => {});
    opened.on('close', () => {
      if (channel !== opened) return;
      channel = undefined;
      consumerTag = undefined;
      // A channel can end alone; on a connection that ended too this fails and the next connection attaches anew.
      setTimeout(() => attach(model).catch(() => {}), 1_000).unref();
    });
    channel = opened;
    consumerTag = undefined;
    await opened.prefetch(options.prefetch);
    await subscribe();
  });

  return {
    async pause() {
      wanted = false;
      const tag = consumerTag;
      consumerTag = undefined;
      if (channel !== undefined && tag !== undefined) await channel.cancel(tag).catch(() => {});
    },
    async resume() {
      wanted = true;
      await subscribe().catch(options.onError);
    },
    inHand: () => inHand,
    drained: () => (inHand === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
