import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { until } from '@tocsin/testing';
import { createTestBroker, startBrokerProxy } from '@tocsin/testing/broker';
import type { Broker } from '../src/connection.js';
import { type ConsumerOptions, createConsumer } from '../src/consumer.js';
import type { InFlightMessage, QueueMessage } from '../src/in-flight-message.js';
import { alertFiredQueue, deliveriesQueue } from '../src/topology.js';
import { alert, brokerUrl, newBroker, newPublisher, newQueueDepth } from './support/broker.js';

const textOf = ({ content }: QueueMessage) => content.toString();

/**
 * Starts a consumer of alerts on `broker`, by default on a new connection. The consumer collects the messages, and
 * leaves them unsettled if `handle` does not settle them.
 */
async function consume(options: Partial<ConsumerOptions> = {}, broker?: Broker) {
  const on = broker ?? (await newBroker());
  const received: QueueMessage[] = [];
  const errors: unknown[] = [];
  const { handle = () => {}, ...rest } = options;
  const consumer = await createConsumer(on, {
    queue: alertFiredQueue,
    prefetch: 10,
    onError: (error) => void errors.push(error),
    ...rest,
    handle(message) {
      received.push(message);
      handle(message);
    },
  });
  return { broker: on, consumer, received, errors };
}

const ack = (message: QueueMessage) => message.ack();
const notNow = new Error('not now');

test('a message stays in flight until its handler calls ack', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(alertFiredQueue);
  // With a prefetch of 1, the broker sends the second message only after the first one is acknowledged.
  const { consumer, received } = await consume({ prefetch: 1 });
  for (const text of ['one', 'two']) await publisher.publish(alert(text));
  await until('one is received', () => received.length === 1);
  await until('one is in the queue', async () => (await queueDepth()) === 1);
  expect(consumer.inFlight()).toBe(1);
  received[0]!.ack();
  await until('the other is received', () => received.length === 2);
  received[1]!.ack();
  await consumer.drained();
  expect(received[0]).toMatchObject({ routingKey: alertFiredKey, redelivered: false });
});

test('only unacknowledged messages are redelivered, even after acknowledgements out of order', async () => {
  const publisher = await newPublisher();
  const { broker, consumer, received } = await consume({ queue: deliveriesQueue, prefetch: 100 });
  const texts = Array.from({ length: 20 }, (_, index) => `m${index}`);
  for (const text of texts)
    await publisher.publish({
      exchange: deliveriesExchange,
      routingKey: deliveryDueKey,
      content: Buffer.from(text),
    });
  await until('all are received', () => received.length === 20);
  for (const message of received.filter((_, index) => index % 3 !== 0).reverse()) message.ack();
  expect(consumer.inFlight()).toBe(7);
  await sleep(100);
  await broker.close();
  const second = await consume({ queue: deliveriesQueue, prefetch: 100, handle: ack });
  await until('the others are delivered again', () => second.received.length >= 7);
  expect(second.received.map(textOf).sort()).toEqual(texts.filter((_, index) => index % 3 === 0).sort());
});

test('a message whose handler throws is redelivered after its channel has closed', async () => {
  const publisher = await newPublisher();
  const first = await consume({
    handle() {
      throw notNow;
    },
  });
  await publisher.publish(alert('again'));
  await until('it has failed', () => first.errors.length === 1);
  await first.broker.close();
  const second = await consume({ handle: ack });
  await until('it is received', () => second.received.length === 1);
  expect(second.received[0]!.redelivered).toBe(true);
});

test('a paused consumer receives nothing until it is resumed', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const { consumer, received } = await consume({ handle: ack });
  await consumer.pause();
  await publisher.publish(alert('while paused'));
  await until('one is in the queue', async () => (await queueDepth()) === 1);
  expect(received).toEqual([]);
  await consumer.resume();
  await until('one is received', () => received.length === 1);
});

test('an acknowledgement after a pause does not acknowledge earlier unsettled messages', async () => {
  const publisher = await newPublisher();
  const { broker, consumer, received } = await consume({
    handle: (message) => textOf(message) === 'slow' || message.ack(),
  });
  await publisher.publish(alert('slow'));
  await until('the slow message is received', () => received.length === 1);
  await consumer.pause();
  await consumer.resume();
  await publisher.publish(alert('quick'));
  await until('the second message is received', () => received.length === 2);
  await sleep(100);
  await broker.close();
  const second = await consume({ handle: ack });
  await until('one is delivered again', () => second.received.length > 0);
  expect(second.received.map(textOf)).toEqual(['slow']);
});

test('concurrent calls of pause and resume leave at most one subscription', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const { consumer, received } = await consume({ prefetch: 1 });
  await Promise.all([consumer.pause(), consumer.resume(), consumer.pause(), consumer.resume()]);
  for (const text of ['one', 'two', 'three']) await publisher.publish(alert(text));
  await until('one is received', () => received.length > 0);
  await sleep(100);
  expect(received).toHaveLength(1);
  await Promise.all([consumer.resume(), consumer.pause()]);
  expect(await queueDepth()).toBe(2);
});

test('a consumer above its byte limit returns all messages, and resumes at half of the limit', async () => {
  const publisher = await newPublisher();
  const { consumer, received, errors } = await consume({ prefetch: 100, maxBytes: 2_500 });
  for (const letter of 'abc') await publisher.publish(alert(letter.repeat(1_000)));
  await until('the three are returned', () => received.length === 3 && received[0]!.isReturned());
  expect(errors).toHaveLength(1);
  // The consumer opens a new channel after one second. It receives nothing yet, because the returned messages are not
  // settled and still count as in flight.
  await sleep(1_500);
  expect(received).toHaveLength(3);
  received[0]!.ack();
  received[1]!.ack();
  await until('messages arrive again', () => received.length > 3);
  expect(received[3]!.redelivered).toBe(true);
  for (const message of received.slice(2)) message.ack();
  await consumer.drained();
});

test('messages above the byte limit are settled, and so are the ones around them', async () => {
  const publisher = await newPublisher();
  for (const size of [9, 3_000, 3_001, 10]) await publisher.publish(alert('x'.repeat(size)));
  const settled = new Set<number>();
  await consume({
    prefetch: 100,
    maxBytes: 2_500,
    handle: (message) =>
      setTimeout(() => {
        if (!message.isReturned()) settled.add(message.content.length);
        message.ack();
      }, 50),
  });
  await until('all are settled', () => settled.size === 4);
});

test('large messages in flight are limited by the byte limit, and small ones by the prefetch', async () => {
  const publisher = await newPublisher();
  const publishAll = (count: number, size: number) =>
    Promise.all(Array.from({ length: count }, () => publisher.publish(alert('x'.repeat(size)))));
  /** Consumes until `count` messages are in flight, and expects that no more follow. */
  const expectInFlight = async (count: number) => {
    const { consumer, broker } = await consume({ prefetch: 2_000, maxBytes: 2_000_000 });
    await until(`${count} are in flight`, () => consumer.inFlight() >= count);
    await sleep(500);
    expect(consumer.inFlight()).toBe(count);
    await broker.close();
    await createTestBroker();
  };
  await publishAll(600, 40_000);
  await expectInFlight(32);
  // 100 messages of 10,000 bytes are 1,000,000 bytes: half of the limit `maxBytes`.
  await publishAll(200, 10_000);
  await expectInFlight(100);
  await publishAll(2_500, 100);
  await expectInFlight(2_000);
});

test('large messages after small ones use less than twice the byte limit', async () => {
  const publisher = await newPublisher();
  const limits = { prefetch: 2_000, maxBytes: 2_000_000 };
  const { consumer } = await consume({
    ...limits,
    handle: (message) => message.content.length < 200 && message.ack(),
  });
  const publishAll = (count: number, size: number) =>
    Promise.all(Array.from({ length: count }, () => publisher.publish(alert('x'.repeat(size)))));
  await publishAll(200, 100);
  await until('the small ones are settled', () => consumer.inFlight() === 0);
  await publishAll(400, 40_000);
  await sleep(1_500);
  expect(consumer.inFlight() * 40_000).toBeLessThan(2 * limits.maxBytes);
});

test('a received message keeps its request id and drops unknown headers', async () => {
  const publisher = await newPublisher();
  const { received } = await consume({ handle: ack });
  await publisher.publish({ ...alert('x'), headers: { 'x-request-id': 'an-id', other: 'y'.repeat(10_000) } });
  await until('one is received', () => received.length === 1);
  expect(received[0]!.requestId).toBe('an-id');
  const { source, ...kept } = received[0] as InFlightMessage;
  expect(source.queue).toBe(alertFiredQueue);
  expect(JSON.stringify(kept)).not.toContain('yyy');
});

test('the handler receives a message again after a retry', async () => {
  const publisher = await newPublisher();
  const { received, errors } = await consume({
    prefetch: 1,
    handle: (message) => (received.length === 1 ? message.retry(notNow) : message.ack()),
  });
  await publisher.publish(alert('one'));
  await publisher.publish(alert('two'));
  await until('the first is retried', () => received.length === 3);
  expect(errors).toEqual([notNow]);
  expect(received.map(textOf)).toEqual(['one', 'one', 'two']);
});

test('messages that fail at the same time are retried at different times', async () => {
  const publisher = await newPublisher();
  const failed = new Set<string>();
  const retriedAtMs: number[] = [];
  await consume({
    prefetch: 50,
    handle(message) {
      if (failed.has(textOf(message))) {
        retriedAtMs.push(performance.now());
        return message.ack();
      }
      failed.add(textOf(message));
      message.retry(notNow);
    },
  });
  await Promise.all(Array.from({ length: 50 }, (_, index) => publisher.publish(alert(`m${index}`))));
  await until('all are retried', () => retriedAtMs.length === 50);
  expect(Math.max(...retriedAtMs) - Math.min(...retriedAtMs)).toBeGreaterThan(250);
});

test('messages that a paused consumer returns are delivered to another consumer', async () => {
  const publisher = await newPublisher();
  const { broker, consumer, received, errors } = await consume();
  for (const text of ['one', 'two', 'three']) await publisher.publish(alert(text));
  await until('all are received', () => received.length === 3);
  await consumer.pause();
  expect(received.map((message) => message.isReturned())).toEqual([false, false, false]);
  await consumer.returnToBroker();
  expect(received.map((message) => message.isReturned())).toEqual([true, true, true]);
  await broker.ready();
  const other = await consume({ handle: ack });
  await until('the other consumer has received all', () => other.received.length === 3);
  received[0]!.ack();
  for (const message of received.slice(1)) message.retry(new Error('too late'));
  await consumer.drained();
  expect(errors).toEqual([]);
  await consumer.resume();
  await publisher.publish(alert('four'));
  await until('the fourth is received', () => other.received.length + received.length === 7);
});

test('returnToBroker resolves even if the connection is lost during the call', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const { broker, consumer } = await consume({}, await newBroker({ url: proxy.url }));
  await broker.ready();
  proxy.cutAtChannelClose();
  await consumer.returnToBroker();
  await broker.close();
  await proxy.close();
});
