import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { deliveriesExchange } from '@tocsin/contracts';
import { until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import type { GetMessage } from 'amqplib';
import { createPublisher, PublishError } from '../src/publisher.js';
import { alertFiredQueue, unroutedQueue } from '../src/topology.js';
import { alert, brokerUrl, newBroker, newPublisher, newQueueDepth } from './support/broker.js';

const reasonOf = (error: PublishError) => error.reason;

/** How it ends, and whether it does so at once: before anything else that goes on here. */
async function outcomeOf(published: Promise<void>) {
  const outcome = published.then(() => 'confirmed' as const, reasonOf);
  const atOnce = await Promise.race([outcome.then(() => true), setImmediate(false)]);
  return { outcome: await outcome, atOnce };
}

test('whoever comes after a confirm is overdue is refused at once, and taken as soon as the late one is there', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 500, refuseAfterMs: 300 });
  let connections = 0;
  await broker.use(async () => {
    connections += 1;
  });
  await broker.ready();
  proxy.freeze();
  await expect(publisher.publish(alert('overdue'))).rejects.toMatchObject({ reason: 'timeout' });
  // One after the other, and longer than any of them would have waited.
  for (let count = 0; count < 10; count += 1) {
    expect(await outcomeOf(publisher.publish(alert('refused')))).toEqual({ outcome: 'away', atOnce: true });
    await sleep(60);
  }
  proxy.thaw();
  await until(
    'it is taken',
    async () => (await publisher.publish(alert('after')).catch(reasonOf)) === undefined,
  );
  expect(connections).toBe(1);
  // What was refused was not sent.
  expect(await queueDepth()).toBe(2);
  await broker.close();
  await proxy.close();
});

test('a publisher that was not told to refuse waits for each confirm', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 600 });
  await broker.ready();
  proxy.freeze();
  for (const text of ['one', 'two'])
    expect(await outcomeOf(publisher.publish(alert(text)))).toEqual({ outcome: 'timeout', atOnce: false });
  await proxy.close();
});

test('a broker that holds its publishers back refuses at once, and takes again as soon as it says so', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 20_000 });
  await broker.ready();
  await publisher.publish(alert('before'));
  proxy.stopReading();
  // RabbitMQ tells a connection with its first message, which it leaves unread.
  const first = outcomeOf(publisher.publish(alert('unread')));
  proxy.sendBlocked();
  // Not when its confirm is overdue.
  expect((await first).outcome).toBe('blocked');
  for (let count = 0; count < 5; count += 1)
    expect(await outcomeOf(publisher.publish(alert('refused')))).toEqual({
      outcome: 'blocked',
      atOnce: true,
    });
  proxy.unblock();
  await until('it has heard it', () => !broker.isBlocked());
  await publisher.publish(alert('after'));
  expect(await queueDepth()).toBe(3);
  await broker.close();
  await proxy.close();
});

test('what a broker had taken before it held its publishers back is confirmed all the same', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker);
  await broker.ready();
  const taken = Promise.all(['one', 'two', 'three'].map((text) => publisher.publish(alert(text))));
  proxy.sendBlocked();
  await taken;
  expect(broker.isBlocked()).toBe(true);
  await proxy.close();
});

test('a connection made anew is not taken for the one that was held back', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker);
  await broker.ready();
  proxy.sendBlocked();
  await until('it has heard it', () => broker.isBlocked());
  proxy.cut();
  await until('the loss is noticed', () => !broker.isUp());
  await broker.ready();
  await publisher.publish(alert('after'));
  await broker.close();
  await proxy.close();
});

test('a message is confirmed once it lies in its queue, and is persistent', async () => {
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

test('what nobody listens to is kept in the alternate queue, and what no queue takes is refused', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(unroutedQueue);
  await publisher.publish({ ...alert('elsewhere'), routingKey: 'alert.unknown' });
  await until('it is kept there', async () => (await queueDepth()) === 1);
  const lost = { exchange: deliveriesExchange, routingKey: 'nobody', content: Buffer.from('x') };
  await expect(publisher.publish(lost)).rejects.toMatchObject({ reason: 'returned' });
});

test('without a broker, publishing fails at once with a sentence', async () => {
  const broker = await newBroker({ url: 'amqp://127.0.0.1:1' });
  const publisher = await createPublisher(broker);
  await expect(publisher.publish(alert('x'))).rejects.toBeInstanceOf(PublishError);
  expect(broker.isUp()).toBe(false);
});
