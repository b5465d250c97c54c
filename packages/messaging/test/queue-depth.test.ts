import { until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import type { Broker } from '../src/connection.js';
import { createQueueDepth } from '../src/queue-depth.js';
import { alertFiredQueue } from '../src/topology.js';
import { brokerUrl, newBroker } from './support/broker.js';

test('while a broker does not answer, who asks for the depth of a queue is told so, and the broker is asked once', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  let asked = 0;
  const use: Broker['use'] = (attach) =>
    broker.use((channel) => {
      const checkQueue = channel.checkQueue.bind(channel);
      channel.checkQueue = (queue) => {
        asked += 1;
        return checkQueue(queue);
      };
      return attach(channel);
    });
  const queueDepth = await createQueueDepth({ ...broker, use }, alertFiredQueue);
  await broker.ready();
  proxy.freeze();
  // The second comes after the first was told, when its question is open still.
  for (let count = 0; count < 2; count += 1)
    await expect(queueDepth()).rejects.toThrow('The broker does not answer.');
  proxy.thaw();
  expect(asked).toBe(1);
  await until('the broker answers', async () => (await queueDepth()) === 0);
  await broker.close();
  await proxy.close();
});

test('without a broker, who asks for the depth of a queue is told so at once', async () => {
  const broker = await newBroker({ url: 'amqp://127.0.0.1:1' });
  const queueDepth = await createQueueDepth(broker, alertFiredQueue);
  await expect(queueDepth()).rejects.toThrow('The broker is away.');
});
