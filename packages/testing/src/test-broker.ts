import { alertFiredKey, alertsExchange, pipelineMarkerKey } from '@tocsin/contracts';
import {
  alertFiredQueue,
  createBroker,
  deliveriesQueue,
  unroutedExchange,
  unroutedQueue,
} from '@tocsin/messaging';
import { type Channel, connect } from 'amqplib';

export interface TestBroker {
  url: string;
  /**
   * Unbinds the queue of alerts from its exchange, runs `work`, and then binds the queue again, even if `work` fails.
   */
  whileUnbound<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` while the queues `alert-fired` and `alerts-unrouted` are unbound, so that alerts reach no queue. */
  whileUnroutable<T>(work: () => Promise<T>): Promise<T>;
}

/** Virtual host for the one test that needs two brokers. */
export const secondBroker = 'second';

/**
 * Declares the topology in a virtual host on the server of TOCSIN_TEST_AMQP_URL, and empties the queues. By default,
 * each Jest worker has its own virtual host.
 */
export async function createTestBroker(virtualHost?: typeof secondBroker): Promise<TestBroker> {
  const { TOCSIN_TEST_AMQP_URL: serverUrl, JEST_WORKER_ID: worker = '1' } = process.env;
  if (!serverUrl) throw new Error('TOCSIN_TEST_AMQP_URL is not set: run the tests with npm test.');
  const address = new URL(serverUrl);
  address.pathname = `/${virtualHost ?? `jest-${worker}`}`;
  const { href: url } = address;
  await declareTopology(url);
  await withChannel(url, async (channel) => {
    for (const queue of [alertFiredQueue, deliveriesQueue, unroutedQueue]) await channel.purgeQueue(queue);
  });
  const without = <T>(bindings: Binding[], work: () => Promise<T>): Promise<T> =>
    withChannel(url, async (channel) => {
      for (const binding of bindings) await channel.unbindQueue(...binding);
      try {
        return await work();
      } finally {
        for (const binding of bindings) await channel.bindQueue(...binding);
      }
    });
  return {
    url,
    whileUnbound: (work) => without(alertBindings, work),
    whileUnroutable: (work) => without([...alertBindings, [unroutedQueue, unroutedExchange, '']], work),
  };
}

type Binding = [queue: string, exchange: string, key: string];

const alertBindings: Binding[] = [alertFiredKey, pipelineMarkerKey].map((key) => [
  alertFiredQueue,
  alertsExchange,
  key,
]);

/** Opens and closes a connection, because each new connection declares the topology before it is ready. */
async function declareTopology(url: string): Promise<void> {
  const broker = await createBroker({ url, name: 'test-topology' });
  await broker.ready();
  await broker.close();
}

async function withChannel<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await connect(url);
  try {
    return await work(await connection.createChannel());
  } finally {
    await connection.close();
  }
}
