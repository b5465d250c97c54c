import { eventsExchange } from '@tocsin/contracts';
import type { ConsumeMessage } from 'amqplib';
import type { Broker } from './connection.js';

export interface BroadcastOptions {
  routingKey: string;
  onMessage: (content: Buffer) => void;
}

/**
 * Hears what instances tell each other on `tocsin.events`, through a queue that lives and dies with the connection.
 * What is sent while this instance is disconnected is missed: listeners must not depend on it.
 */
export async function listenToBroadcasts(
  broker: Broker,
  { routingKey, onMessage }: BroadcastOptions,
): Promise<void> {
  let bind: () => Promise<unknown> = async () => undefined;
  broker.onDeclared(() => void bind().catch(() => {}));
  await broker.use(async (channel) => {
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true });
    bind = () => channel.bindQueue(queue, eventsExchange, routingKey);
    await bind();
    const take = (message: ConsumeMessage | null) => {
      if (message !== null) onMessage(message.content);
      // The queue was deleted: the next channel makes another.
      else channel.close().catch(() => {});
    };
    await channel.consume(queue, take, { noAck: true });
  });
}
