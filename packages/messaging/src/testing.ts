import { connect } from 'amqplib';
import { alertFiredQueue, declareTopology, deliveriesQueue, unroutedQueue } from './topology.js';

export { startGate } from './gate.js';

/**
 * The address of a virtual host that only this jest worker uses, its topology declared and its queues empty. The
 * server is the one that TOCSIN_TEST_AMQP_URL names.
 */
export async function createTestBroker(): Promise<{ url: string }> {
  const { TOCSIN_TEST_AMQP_URL: serverUrl, JEST_WORKER_ID: worker = '1' } = process.env;
  if (!serverUrl) throw new Error('TOCSIN_TEST_AMQP_URL is not set: run the tests with npm test.');
  const address = new URL(serverUrl);
  address.pathname = `/jest-${worker}`;
  const connection = await connect(address.href);
  const channel = await connection.createChannel();
  await declareTopology(channel);
  for (const queue of [alertFiredQueue, deliveriesQueue, unroutedQueue]) await channel.purgeQueue(queue);
  await connection.close();
  return { url: address.href };
}
