import { withTimeout } from '@tocsin/kit';
import type { Channel } from 'amqplib';
import type { Broker } from './connection.js';

/**
 * Resolves to the number of messages that are ready in a queue. Rejects if the queue does not exist, or if the broker
 * is unavailable or does not reply within 2 s.
 */
export type QueueDepth = () => Promise<number>;

const replyTimeoutMs = 2_000;

/**
 * Creates a function that reads the depth of a queue. It uses a separate channel, because the broker closes the channel
 * if the queue does not exist.
 */
export async function createQueueDepth(broker: Broker, queue: string): Promise<QueueDepth> {
  let channel: Channel | undefined;
  let pending: ReturnType<Channel['checkQueue']> | undefined;
  await broker.use(async (opened) => {
    opened.on('close', () => {
      if (channel === opened) channel = undefined;
    });
    channel = opened;
  });

  return async () => {
    if (channel === undefined) throw new Error('The broker is unavailable.');
    // Concurrent calls share one request, so that requests do not accumulate while the broker does not reply.
    pending ??= channel.checkQueue(queue).finally(() => {
      pending = undefined;
    });
    try {
      return (await withTimeout(pending, { timeoutMs: replyTimeoutMs })).messageCount;
    } catch (cause) {
      throw new Error('The depth of the queue cannot be read.', { cause });
    }
  };
}
