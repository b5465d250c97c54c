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
 * Queue for messages that were published to `tocsin.alerts` with an unknown routing key or while the binding was
 * missing. A policy in `infra/rabbitmq/definitions.json` also sends expired alerts to this queue.
 */
export const unroutedQueue = 'alerts-unrouted';

/** Alternate exchange of `tocsin.alerts`. It routes unroutable messages to `alerts-unrouted`. */
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
 * Arguments of the replicated queues. By default, RabbitMQ 4 drops a message that has been returned to its queue more
 * than 20 times. The limit here is so large that restarts of workers never reach it.
 */
const quorum = { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000 };

/**
 * Declares all exchanges, queues and bindings. Each connection calls this function before it opens its channels, unless
 * its option `declare` is false. The arguments of an existing queue or exchange cannot be changed: a difference is
 * reported to `onConflict`, and the queue or exchange is used unchanged.
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
      // The broker has closed the channel because of the conflict.
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

/**
 * Returns true for PRECONDITION_FAILED. In AMQP 0-9-1, a broker sends this error if the arguments of a declaration
 * differ from those of the existing queue or exchange.
 */
function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 406;
}
