import {
  alertFiredKey,
  alertsExchange,
  deliveriesExchange,
  deliveryDueKey,
  eventsExchange,
} from '@tocsin/contracts';
import { until } from '@tocsin/testing';
import { type Channel, connect, type GetMessage } from 'amqplib';
import { listenToBroadcasts } from '../src/broadcast.js';
import { createPublisher } from '../src/publisher.js';
import { createQueueDepth } from '../src/queue-depth.js';
import { alertFiredQueue, deliveriesQueue, unroutedQueue } from '../src/topology.js';
import { alert, brokerUrl, closeAtEnd, newBroker, takeAlerts } from './support/broker.js';

// What people take away while we run is there again soon, without a restart.

let admin: Channel;

beforeEach(async () => {
  const connection = await connect(brokerUrl());
  closeAtEnd(connection);
  admin = await connection.createChannel();
});

async function startConsumer(options = {}) {
  const broker = await newBroker(options);
  const taken = await takeAlerts(broker);
  return { broker, taken };
}

test('a queue that was deleted is declared again by who reads it, and read', async () => {
  const { broker, taken } = await startConsumer();
  const publishing = await newBroker();
  const publisher = await createPublisher(publishing);
  await publishing.ready();
  await admin.deleteQueue(alertFiredQueue);
  await until('the loss is noticed', () => !broker.isUp());
  await until('what follows is read', async () => {
    await publisher.publish(alert('after'));
    return taken.includes('after');
  });
  expect(broker.isUp()).toBe(true);
});

test('a binding that was taken away is made again', async () => {
  const { taken } = await startConsumer({ declareEveryMs: 200 });
  const publishing = await newBroker();
  const publisher = await createPublisher(publishing);
  await publishing.ready();
  await admin.unbindQueue(alertFiredQueue, alertsExchange, alertFiredKey);
  await until('what follows is read', async () => {
    await publisher.publish(alert('after'));
    return taken.includes('after');
  });
});

test.each([
  [alertsExchange, alertFiredKey],
  [deliveriesExchange, deliveryDueKey],
])('a publisher outlives the end of its channel, as where %s is deleted', async (exchange, routingKey) => {
  const broker = await newBroker();
  const publisher = await createPublisher(broker);
  await broker.ready();
  await admin.deleteExchange(exchange);
  const content = Buffer.from('x');
  await expect(publisher.publish({ exchange, routingKey, content })).rejects.toMatchObject({
    reason: 'away',
  });
  expect(broker.isUp()).toBe(false);
  await broker.ready();
  await publisher.publish({ exchange, routingKey, content });
});

test('asking for a queue that was deleted fails, and later tells its depth', async () => {
  const broker = await newBroker();
  const queueDepth = await createQueueDepth(broker, deliveriesQueue);
  await broker.ready();
  await admin.deleteQueue(deliveriesQueue);
  await expect(queueDepth()).rejects.toThrow('The broker does not answer.');
  await broker.ready();
  expect(await queueDepth()).toBe(0);
});

test('an alert that its publisher lets expire goes to the other queue of alerts, where the policy says so', async () => {
  const content = Buffer.from('short-lived');
  admin.publish(alertsExchange, alertFiredKey, content, { persistent: true, expiration: '50' });
  let found: GetMessage | false = false;
  await until('it is there', async () => {
    found = await admin.get(unroutedQueue, { noAck: true });
    return found !== false;
  });
  expect(found).toMatchObject({ content, fields: { routingKey: alertFiredKey } });
  // It does not expire a second time.
  expect(found).toMatchObject({ properties: { expiration: undefined } });
});

test('broadcasts are heard again after their exchange was deleted', async () => {
  const heard: string[] = [];
  const broker = await newBroker({ declareEveryMs: 200 });
  const publisher = await createPublisher(broker);
  const routingKey = 'api_key.deactivated';
  await listenToBroadcasts(broker, { routingKey, onMessage: (content) => heard.push(content.toString()) });
  await broker.ready();
  await admin.deleteExchange(eventsExchange);
  await until('it is heard', async () => {
    await publisher
      .publish({ exchange: eventsExchange, routingKey, content: Buffer.from('after') })
      .catch(() => {});
    return heard.includes('after');
  });
});

test('what was made anew with other arguments is told of, bound and used as it is', async () => {
  await admin.deleteQueue(alertFiredQueue);
  await admin.assertQueue(alertFiredQueue, { durable: true });
  await admin.deleteExchange(alertsExchange);
  await admin.assertExchange(alertsExchange, 'topic', { durable: true });
  const told: unknown[] = [];
  const logger = { info: () => {}, warn: (fields: { declared?: string }) => void told.push(fields.declared) };
  try {
    const { taken } = await startConsumer({ logger });
    const publisher = await createPublisher(await newBroker());
    await until('it is read', async () => {
      await publisher.publish(alert('after')).catch(() => {});
      return taken.includes('after');
    });
    expect(told).toEqual([alertsExchange, alertFiredQueue]);
  } finally {
    await admin.deleteQueue(alertFiredQueue);
    await admin.deleteExchange(alertsExchange);
  }
});
