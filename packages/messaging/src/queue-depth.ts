import { withTimeout } from '@tocsin/kit';
import type { Channel } from 'amqplib';
import type { Broker } from './connection.js';

/** Messages that are ready in a queue. Throws where the broker is away, or has not answered in 2 s. */
export type QueueDepth = () => Promise<number>;

const answerTimeoutMs = 2_000;

/** On a channel of its own: a queue that is not there ends the channel that asks for it. */
export async function createQueueDepth(broker: Broker, queue: string): Promise<QueueDepth> {
  let channel: Channel | undefined;
  let question: ReturnType<Channel['checkQueue']> | undefined;
  await broker.use(async (opened) => {
    opened.on('close', () => {
      if (channel === opened) channel = undefined;
    });
    channel = opened;
  });

  return async () => {
    if (channel === undefined) throw new Error('The broker is away.');
    // One question at a time: a broker that holds us back for hours would be left with thousands.
    question ??= channel.checkQueue(queue).finally(() => {
      question = undefined;
    });
    try {
      return (await withTimeout(question, { timeoutMs: answerTimeoutMs })).messageCount;
    } catch (cause) {
      throw new Error('The broker does not answer.', { cause });
    }
  };
}
