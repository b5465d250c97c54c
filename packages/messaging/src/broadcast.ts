import { eventsExchange } from '@tocsin/contracts';
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
  await broker.use(async (model) => {
    const channel = await model.createChannel();
    channel.on('error', () => {});
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true });
    await channel.bindQueue(queue, eventsExchange, routingKey);
    await channel.consume(queue, (message) => message !== null && onMessage(message.content), {
      noAck: true,
    });
  });
}
