import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { deliveriesExchange } from '@tocsin/contracts';
import { until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import type { GetMessage } from 'amqplib';
import { createPublisher, PublishError, type PublisherOptions } from '../src/publisher.js';
import { alertFiredQueue, unroutedQueue } from '../src/topology.js';
import { alert, brokerUrl, newBroker, newPublisher, newQueueDepth } from './support/broker.js';

const reasonOf = (error: PublishError) => error.reason;

/**
 * Resolves to the outcome of a publication. `atOnce` is true if the outcome was known before the next tick of the event
 * loop.
 */
async function outcomeOf(published: Promise<void>) {
  const outcome = published.then(() => 'confirmed' as const, reasonOf);
  const atOnce = await Promise.race([outcome.then(() => true), setImmediate(false)]);
  return { outcome: await outcome, atOnce };
}

/** Starts a publisher that reaches the broker through a proxy. */
async function startProxied(options: PublisherOptions = {}) {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker, options);
  await broker.ready();
  return { proxy, broker, publisher };
}

test('after a confirm is overdue, messages fail at once until that confirm arrives', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 500, circuitOpenAfterMs: 300 });
  let connections = 0;
  await broker.use(async () => {
    connections += 1;
  });
  await broker.ready();
  proxy.freeze();
  await expect(publisher.publish(alert('overdue'))).rejects.toMatchObject({ reason: 'timeout' });
  // The loop publishes for 600 ms, which is longer than the confirm timeout of 500 ms. Each message fails at once, even
  // after 500 ms.
  for (let count = 0; count < 10; count += 1) {
    expect(await outcomeOf(publisher.publish(alert('rejected')))).toEqual({
      outcome: 'unavailable',
      atOnce: true,
    });
    await sleep(60);
  }
  proxy.thaw();
  await until(
    'a message is confirmed',
    async () => (await publisher.publish(alert('after')).catch(reasonOf)) === undefined,
  );
  expect(connections).toBe(1);
  // The queue has the messages "overdue" and "after"; the rejected messages were not sent.
  expect(await queueDepth()).toBe(2);
  await broker.close();
  await proxy.close();
});

test('a publisher without circuitOpenAfterMs waits for each confirm until the timeout', async () => {
  const { proxy, publisher } = await startProxied({ confirmTimeoutMs: 600 });
  proxy.freeze();
  for (const text of ['one', 'two'])
    expect(await outcomeOf(publisher.publish(alert(text)))).toEqual({ outcome: 'timeout', atOnce: false });
  await proxy.close();
});

test('messages to a blocked broker fail at once until it is unblocked', async () => {
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const { proxy, broker, publisher } = await startProxied({ confirmTimeoutMs: 20_000 });
  await publisher.publish(alert('before'));
  proxy.stopReading();
  // A blocked RabbitMQ reports the block when a connection sends its first message, and does not read this message. The
  // proxy simulates both.
  const first = outcomeOf(publisher.publish(alert('unread')));
  proxy.sendBlocked();
  // The first message fails before its confirm timeout of 20 s.
  expect((await first).outcome).toBe('blocked');
  for (let count = 0; count < 5; count += 1)
    expect(await outcomeOf(publisher.publish(alert('rejected')))).toEqual({
      outcome: 'blocked',
      atOnce: true,
    });
  proxy.unblock();
  await until('the client has received the change', () => !broker.isBlocked());
  await publisher.publish(alert('after'));
  expect(await queueDepth()).toBe(3);
  await broker.close();
  await proxy.close();
});

test('messages that the broker received before it was blocked are still confirmed', async () => {
  const { proxy, broker, publisher } = await startProxied();
  const taken = Promise.all(['one', 'two', 'three'].map((text) => publisher.publish(alert(text))));
  proxy.sendBlocked();
  await taken;
  expect(broker.isBlocked()).toBe(true);
  await proxy.close();
});

test('a new connection does not count as blocked, even if the lost connection was blocked', async () => {
  const { proxy, broker, publisher } = await startProxied();
  proxy.sendBlocked();
  await until('the client has received the change', () => broker.isBlocked());
  proxy.cut();
  await until('the client has noticed the lost connection', () => !broker.isUp());
  await broker.ready();
  await publisher.publish(alert('after'));
  await broker.close();
  await proxy.close();
});

test('a confirmed message is in the queue and persistent', async () => {
  const publisher = await newPublisher();
  await publisher.publish(alert('kept'));
  let message: GetMessage | false = false;
  const broker = await newBroker();
  await broker.use(async (channel) => {
    message = await channel.get(alertFiredQueue, { noAck: true });
  });
  await broker.ready();
  expect(message).toMatchObject({ content: Buffer.from('kept'), properties: { deliveryMode: 2 } });
});

test('an unroutable alert goes to the unrouted queue, and any other unroutable message fails', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(unroutedQueue);
  await publisher.publish({ ...alert('elsewhere'), routingKey: 'alert.unknown' });
  await until('the alert is in the unrouted queue', async () => (await queueDepth()) === 1);
  const lost = { exchange: deliveriesExchange, routingKey: 'nobody', content: Buffer.from('x') };
  await expect(publisher.publish(lost)).rejects.toMatchObject({ reason: 'returned' });
});

test('publishing fails at once while no broker is reachable', async () => {
  const broker = await newBroker({ url: 'amqp://127.0.0.1:1' });
  const publisher = await createPublisher(broker);
  await expect(publisher.publish(alert('x'))).rejects.toBeInstanceOf(PublishError);
  expect(broker.isUp()).toBe(false);
});
