import { until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import type { Broker } from '../src/connection.js';
import { createQueueDepth } from '../src/queue-depth.js';
import { alertFiredQueue } from '../src/topology.js';
import { brokerUrl, newBroker } from './support/broker.js';

test('repeated reads of the queue depth send one request while the broker is frozen', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  let requests = 0;
  const use: Broker['use'] = (attach) =>
    broker.use((channel) => {
      const checkQueue = channel.checkQueue.bind(channel);
      channel.checkQueue = (queue) => {
        requests += 1;
        return checkQueue(queue);
      };
      return attach(channel);
    });
  const queueDepth = await createQueueDepth({ ...broker, use }, alertFiredQueue);
  await broker.ready();
  proxy.freeze();
  // The frozen broker has not replied to the request of the first call when the second call is made.
  for (let count = 0; count < 2; count += 1)
    await expect(queueDepth()).rejects.toThrow('The depth of the queue cannot be read.');
  proxy.thaw();
  expect(requests).toBe(1);
  await until('the broker replies', async () => (await queueDepth()) === 0);
  await broker.close();
  await proxy.close();
});

test('reading the queue depth fails at once while no broker is reachable', async () => {
  const broker = await newBroker({ url: 'amqp://127.0.0.1:1' });
  const queueDepth = await createQueueDepth(broker, alertFiredQueue);
  await expect(queueDepth()).rejects.toThrow('The broker is unavailable.');
});
