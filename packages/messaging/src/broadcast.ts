import { eventsExchange } from '@tocsin/contracts';
import type { ConsumeMessage } from 'amqplib';
import type { Broker } from './connection.js';

export interface BroadcastOptions {
  routingKey: string;
  onMessage: (content: Buffer) => void;
}

/**
 * Receives broadcasts from the exchange `tocsin.events` through an exclusive queue. The broker deletes the queue when
 * the connection ends. A broadcast that is published while there is no connection is lost, so a listener must not
 * depend on receiving every broadcast.
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
    const receive = (message: ConsumeMessage | null) => {
      if (message !== null) onMessage(message.content);
      // A null message means that the queue was deleted. After the close, a new channel is opened and declares the
      // queue again.
      else channel.close().catch(() => {});
    };
    await channel.consume(queue, receive, { noAck: true });
  });
}
