import {
  alertFiredKey,
  alertsExchange,
  deliveriesExchange,
  deliveryDueKey,
  eventsExchange,
} from '@tocsin/contracts';
import type { Channel } from 'amqplib';

export const alertFiredQueue = 'alert-fired';
export const deliveriesQueue = 'deliveries';
/** What was published to `tocsin.alerts` under a key that nobody listens to, or while the binding was away. */
export const unroutedQueue = 'alerts-unrouted';

const unroutedExchange = 'tocsin.alerts.unrouted';

const exchanges = [
  { name: unroutedExchange, type: 'fanout' },
  { name: alertsExchange, type: 'topic', alternateExchange: unroutedExchange },
  { name: deliveriesExchange, type: 'direct' },
  { name: eventsExchange, type: 'topic' },
];

const queues = [
  { name: alertFiredQueue, exchange: alertsExchange, key: alertFiredKey },
  { name: unroutedQueue, exchange: unroutedExchange, key: '' },
  { name: deliveriesQueue, exchange: deliveriesExchange, key: deliveryDueKey },
];

/**
 * Replicated queues. The limit is explicit because RabbitMQ 4 drops a message after 20 deliveries where none is set,
 * and a worker's restarts must never use a message up.
 */
const quorum = { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000 };

/**
 * Declares everything that Tocsin sends to or reads from. Every publisher and consumer does so first. What is there with
 * other arguments, which cannot be changed, is told of and taken as it is: better a queue of another kind than none.
 */
export async function declareTopology(
  openChannel: () => Promise<Channel>,
  onOther: (name: string, error: unknown) => void,
): Promise<void> {
  let channel = await openChannel();
  const declare = async (name: string, assert: () => Promise<unknown>) => {
    try {
      await assert();
    } catch (error) {
      if (!isOfOtherArguments(error)) throw error;
      onOther(name, error);
      // The broker has ended the channel with its refusal.
      channel = await openChannel();
    }
  };
  for (const { name, type, alternateExchange } of exchanges) {
    const options = alternateExchange === undefined ? {} : { alternateExchange };
    await declare(name, () => channel.assertExchange(name, type, { durable: true, ...options }));
  }
  for (const { name, exchange, key } of queues) {
    await declare(name, () => channel.assertQueue(name, { durable: true, arguments: quorum }));
    await channel.bindQueue(name, exchange, key);
  }
  await channel.close();
}

/** PRECONDITION_FAILED of AMQP 0-9-1. */
function isOfOtherArguments(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 406;
}
