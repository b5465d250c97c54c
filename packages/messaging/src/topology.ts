import {
  alertFiredKey,
  alertsExchange,
  deliveriesExchange,
  deliveryDueKey,
  eventsExchange,
  pipelineMarkerKey,
} from '@tocsin/contracts';
import type { Channel } from 'amqplib';

export const alertFiredQueue = 'alert-fired';
export const deliveriesQueue = 'deliveries';
/**
 * Queue of messages that were published to `tocsin.alerts` with an unknown routing key, or while the binding was
 * missing.
 */
export const unroutedQueue = 'alerts-unrouted';

/** Alternate exchange of the exchange of alerts. */
export const unroutedExchange = 'tocsin.alerts.unrouted';

const exchanges = [
  { name: unroutedExchange, type: 'fanout' },
  { name: alertsExchange, type: 'topic', alternateExchange: unroutedExchange },
  { name: deliveriesExchange, type: 'direct' },
  { name: eventsExchange, type: 'topic' },
];

const queues = [
  { name: alertFiredQueue, exchange: alertsExchange, keys: [alertFiredKey, pipelineMarkerKey] },
  { name: unroutedQueue, exchange: unroutedExchange, keys: [''] },
  { name: deliveriesQueue, exchange: deliveriesExchange, keys: [deliveryDueKey] },
];

/**
 * Replicated queues. The delivery limit is explicit because RabbitMQ 4 drops a message after 20 deliveries by default,
 * and restarts of workers must never exhaust it.
 */
const quorum = { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000 };

/**
 * Declares all exchanges, queues and bindings. Every publisher and consumer does it first. The arguments of an existing
 * queue or exchange cannot be changed, so one with other arguments is reported to `onConflict` and used as it is.
 */
export async function declareTopology(
  openChannel: () => Promise<Channel>,
  onConflict: (name: string, error: unknown) => void,
): Promise<void> {
  let channel = await openChannel();
  const declare = async (name: string, assert: () => Promise<unknown>) => {
    try {
      await assert();
    } catch (error) {
      if (!isConflict(error)) throw error;
      onConflict(name, error);
      // The broker has closed the channel with this error.
      channel = await openChannel();
    }
  };
  for (const { name, type, alternateExchange } of exchanges) {
    const options = alternateExchange === undefined ? {} : { alternateExchange };
    await declare(name, () => channel.assertExchange(name, type, { durable: true, ...options }));
  }
  for (const { name, exchange, keys } of queues) {
    await declare(name, () => channel.assertQueue(name, { durable: true, arguments: quorum }));
    for (const key of keys) await channel.bindQueue(name, exchange, key);
  }
  await channel.close();
}

/** PRECONDITION_FAILED in AMQP 0-9-1. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 406;
}
