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

// An operator deletes queues, exchanges or bindings while a service runs. The service must declare them again.

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

test('a deleted queue is declared again, and its consumer receives messages again', async () => {
  const { broker, taken } = await startConsumer();
  const publishing = await newBroker();
  const publisher = await createPublisher(publishing);
  await publishing.ready();
  await admin.deleteQueue(alertFiredQueue);
  await until('the client has noticed the lost connection', () => !broker.isUp());
  await until('the next alert is consumed', async () => {
    await publisher.publish(alert('after'));
    return taken.includes('after');
  });
  expect(broker.isUp()).toBe(true);
});

test('a removed binding is declared again at the next periodic declaration of the topology', async () => {
  const { taken } = await startConsumer({ declareEveryMs: 200 });
  const publishing = await newBroker();
  const publisher = await createPublisher(publishing);
  await publishing.ready();
  await admin.unbindQueue(alertFiredQueue, alertsExchange, alertFiredKey);
  await until('the next alert is consumed', async () => {
    await publisher.publish(alert('after'));
    return taken.includes('after');
  });
});

test.each([
  [alertsExchange, alertFiredKey],
  [deliveriesExchange, deliveryDueKey],
])('a publisher gets a new channel after the exchange %s was deleted', async (exchange, routingKey) => {
  const broker = await newBroker();
  const publisher = await createPublisher(broker);
  await broker.ready();
  await admin.deleteExchange(exchange);
  const content = Buffer.from('x');
  await expect(publisher.publish({ exchange, routingKey, content })).rejects.toMatchObject({
    reason: 'unavailable',
  });
  expect(broker.isUp()).toBe(false);
  await broker.ready();
  await publisher.publish({ exchange, routingKey, content });
});

test('reading the depth of a deleted queue fails until the queue is declared again', async () => {
  const broker = await newBroker();
  const queueDepth = await createQueueDepth(broker, deliveriesQueue);
  await broker.ready();
  await admin.deleteQueue(deliveriesQueue);
  await expect(queueDepth()).rejects.toThrow('The depth of the queue cannot be read.');
  await broker.ready();
  expect(await queueDepth()).toBe(0);
});

test('an expired alert goes to the unrouted queue', async () => {
  const content = Buffer.from('short-lived');
  admin.publish(alertsExchange, alertFiredKey, content, { persistent: true, expiration: '50' });
  let found: GetMessage | false = false;
  await until('the alert is in the unrouted queue', async () => {
    found = await admin.get(unroutedQueue, { noAck: true });
    return found !== false;
  });
  expect(found).toMatchObject({ content, fields: { routingKey: alertFiredKey } });
  // RabbitMQ removes the expiration of an expired message, so the alert does not expire again in `alerts-unrouted`.
  expect(found).toMatchObject({ properties: { expiration: undefined } });
});

test('broadcasts arrive again after their exchange was deleted', async () => {
  const received: string[] = [];
  const broker = await newBroker({ declareEveryMs: 200 });
  const publisher = await createPublisher(broker);
  const routingKey = 'api_key.deactivated';
  await listenToBroadcasts(broker, { routingKey, onMessage: (content) => received.push(content.toString()) });
  await broker.ready();
  await admin.deleteExchange(eventsExchange);
  await until('it is received', async () => {
    await publisher
      .publish({ exchange: eventsExchange, routingKey, content: Buffer.from('after') })
      .catch(() => {});
    return received.includes('after');
  });
});

test('an existing queue with other arguments is reported and used unchanged', async () => {
  await admin.deleteQueue(alertFiredQueue);
  await admin.assertQueue(alertFiredQueue, { durable: true });
  await admin.deleteExchange(alertsExchange);
  await admin.assertExchange(alertsExchange, 'topic', { durable: true });
  const reported: unknown[] = [];
  const logger = {
    info: () => {},
    warn: (fields: { declared?: string }) => void reported.push(fields.declared),
  };
  try {
    const { taken } = await startConsumer({ logger });
    const publisher = await createPublisher(await newBroker());
    await until('the alert is consumed', async () => {
      await publisher.publish(alert('after')).catch(() => {});
      return taken.includes('after');
    });
    expect(reported).toEqual([alertsExchange, alertFiredQueue]);
  } finally {
    await admin.deleteQueue(alertFiredQueue);
    await admin.deleteExchange(alertsExchange);
  }
});
