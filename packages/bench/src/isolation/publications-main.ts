/** Listens in on the deliveries exchange through a queue of its own, and counts what is published there. */

import { decodeDeliveriesDue, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { connect } from 'amqplib';
import { serveCommands } from '../child/commands.js';

const seen = new Map<string, number>();
let published = 0;

const commands = {
  async listen({ amqpUrl }: { amqpUrl: string }): Promise<void> {
    const connection = await connect(amqpUrl);
    const channel = await connection.createChannel();
    await channel.assertExchange(deliveriesExchange, 'direct', { durable: true });
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, deliveriesExchange, deliveryDueKey);
    const count = (content: Buffer) => {
      for (const { deliveryId, generation } of decodeDeliveriesDue(content) ?? []) {
        const key = `${deliveryId}/${generation}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
        published += 1;
      }
    };
    await channel.consume(queue, (message) => message && count(message.content), { noAck: true });
  },
  counts: () => ({ published, distinct: seen.size }),
};
export type PublicationsCommands = typeof commands;

serveCommands(commands);
