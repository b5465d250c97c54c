import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { createTestBroker } from '@tocsin/testing/broker';
import { type Broker, type BrokerOptions, createBroker } from '../../src/connection.js';
import { createConsumer } from '../../src/consumer.js';
import { createPublisher, type Publisher, type PublisherOptions } from '../../src/publisher.js';
import { createQueueDepth, type QueueDepth } from '../../src/queue-depth.js';
import { alertFiredQueue } from '../../src/topology.js';

let url: string;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  ({ url } = await createTestBroker());
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});

/** Returns the URL of the current test's virtual host. */
export const brokerUrl = () => url;

/** Closes the given connection after the test. */
export function closeAtEnd(connection: { close(): Promise<void> }): void {
  open.push(connection);
}

export async function newBroker(options: Partial<BrokerOptions> = {}): Promise<Broker> {
  const broker = await createBroker({ url, name: 'test', ...options });
  closeAtEnd(broker);
  return broker;
}

export async function newPublisher(options: PublisherOptions = {}): Promise<Publisher> {
  const broker = await newBroker();
  const publisher = await createPublisher(broker, options);
  await broker.ready();
  return publisher;
}

export async function newQueueDepth(queue: string): Promise<QueueDepth> {
  const broker = await newBroker();
  const queueDepth = await createQueueDepth(broker, queue);
  await broker.ready();
  return queueDepth;
}

/** Consumes alerts from `broker` once it is ready. Returns an array that collects their bodies. */
export async function takeAlerts(broker: Broker): Promise<string[]> {
  const taken: string[] = [];
  await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 10,
    handle(message) {
      taken.push(message.content.toString());
      message.ack();
    },
    onError: () => {},
  });
  await broker.ready();
  return taken;
}

export const alert = (text: string) => ({
  exchange: alertsExchange,
  routingKey: alertFiredKey,
  content: Buffer.from(text),
});
