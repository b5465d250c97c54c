import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { type Channel, connect } from 'amqplib';
import { alertFiredQueue, declareTopology, deliveriesQueue, unroutedQueue } from './topology.js';

export { startBrokerProxy } from './testing/broker-proxy.js';

export interface TestBroker {
  url: string;
  /** Does something while the queue of alerts is not bound to their exchange. */
  whileUnbound<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * The address of a virtual host that only this jest worker uses, its topology declared and its queues empty. The
 * server is the one that TOCSIN_TEST_AMQP_URL names.
 */
export async function createTestBroker(): Promise<TestBroker> {
  const { TOCSIN_TEST_AMQP_URL: serverUrl, JEST_WORKER_ID: worker = '1' } = process.env;
  if (!serverUrl) throw new Error('TOCSIN_TEST_AMQP_URL is not set: run the tests with npm test.');
  const address = new URL(serverUrl);
  address.pathname = `/jest-${worker}`;
  const { href: url } = address;
  const connection = await connect(url);
  await declareTopology(
    () => connection.createChannel(),
    (_, error) => {
      throw error;
    },
  );
  await connection.close();
  await withChannel(url, async (channel) => {
    for (const queue of [alertFiredQueue, deliveriesQueue, unroutedQueue]) await channel.purgeQueue(queue);
  });
  return {
    url,
    whileUnbound: (work) =>
      withChannel(url, async (channel) => {
        await channel.unbindQueue(alertFiredQueue, alertsExchange, alertFiredKey);
        try {
          return await work();
        } finally {
          await channel.bindQueue(alertFiredQueue, alertsExchange, alertFiredKey);
        }
      }),
  };
}

async function withChannel<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await connect(url);
  try {
    return await work(await connection.createChannel());
  } finally {
    await connection.close();
  }
}
