/**
 * Counts the deliveries in the messages that are published to the exchange `tocsin.deliveries`. A temporary queue
 * receives a copy of each message.
 */

import { decodeDeliveriesDue, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { connect } from 'amqplib';
import { serveCommands } from '../test-bed/helper-process.js';

const deliveries = new Set<string>();
const runs = new Set<string>();
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
        runs.add(`${deliveryId}/${run}`);
        published += 1;
      }
    };
    await channel.consume(queue, (message) => message && count(message.content), { noAck: true });
  },
  /**
   * Returns the number of different deliveries and the number of different runs in the messages (a redelivery starts a
   * new run of its delivery). `published` also counts repetitions.
   */
  counts: () => ({ deliveries: deliveries.size, runs: runs.size, published }),
  reset(): void {
    deliveries.clear();
    runs.clear();
    published = 0;
  },
};
export type PublicationCounterCommands = typeof commands;

serveCommands(commands);
