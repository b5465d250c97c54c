/** Listens in on the deliveries exchange through a queue of its own, and counts what is published there. */

import { decodeDeliveriesDue, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { connect } from 'amqplib';
import { serveCommands } from '../test-bed/helper-process.js';

const deliveries = new Set<string>();
const seen = new Set<string>();
let published = 0;

const commands = {
  async listen({ amqpUrl }: { amqpUrl: string }): Promise<void> {
    const connection = await connect(amqpUrl);
    const channel = await connection.createChannel();
    await channel.assertExchange(deliveriesExchange, 'direct', { durable: true });
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, deliveriesExchange, deliveryDueKey);
    const count = (content: Buffer) => {
      for (const { deliveryId, run } of decodeDeliveriesDue(content) ?? []) {
        deliveries.add(deliveryId);
        seen.add(`${deliveryId}/${run}`);
        published += 1;
      }
    };
    await channel.consume(queue, (message) => message && count(message.content), { noAck: true });
  },
  /** Deliveries named, runs of them, and how often one was named in all. */
  counts: () => ({ deliveries: deliveries.size, runs: seen.size, published }),
  forget(): void {
    deliveries.clear();
    seen.clear();
    published = 0;
  },
};
export type PublicationsCommands = typeof commands;

serveCommands(commands);
