import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { until } from '@tocsin/kit/testing';
import { createConsumer } from '../src/consumer.js';
import type { Incoming } from '../src/held-message.js';
import { createTestBroker, startGate } from '../src/testing.js';
import { alertFiredQueue, deliveriesQueue } from '../src/topology.js';
import { alert, brokerUrl, newBroker, newPublisher, newQueueDepth } from './support/broker.js';

test('a message is acknowledged when its handler is done, and not before', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const taken: Incoming[] = [];
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const consumer = await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    // The broker gives the second when the first has been acknowledged.
    prefetch: 1,
    handle: async (message) => {
      taken.push(message);
      await done;
    },
    onError: () => {},
  });
  for (const text of ['one', 'two']) await publisher.publish(alert(text));
  await until('one is taken', () => taken.length === 1);
  await until('one is in the queue', async () => (await queueDepth()) === 1);
  expect(consumer.inHand()).toBe(1);
  finish();
  await until('the other is taken', () => taken.length === 2);
  await consumer.drained();
  expect(taken[0]).toMatchObject({ routingKey: alertFiredKey, redelivered: false });
});

test('messages that finish out of order are each acknowledged, and none that has not finished', async () => {
  const publisher = await newPublisher();
  const finishers = new Map<string, () => void>();
  const broker = await newBroker();
  const consumer = await createConsumer(broker, {
    queue: deliveriesQueue,
    prefetch: 100,
    handle: ({ content }) => new Promise((resolve) => void finishers.set(content.toString(), resolve)),
    onError: () => {},
  });
  const texts = Array.from({ length: 20 }, (_, index) => `m${index}`);
  for (const text of texts)
    await publisher.publish({
      exchange: deliveriesExchange,
      routingKey: deliveryDueKey,
      content: Buffer.from(text),
    });
  await until('all are taken', () => finishers.size === 20);
  for (const text of texts.filter((_, index) => index % 3 !== 0).reverse()) finishers.get(text)!();
  await until('the others are finished', () => consumer.inHand() === 7);
  await sleep(100);
  await broker.close();
  const again = new Set<string>();
  await createConsumer(await newBroker(), {
    queue: deliveriesQueue,
    prefetch: 100,
    handle: async ({ content }) => void again.add(content.toString()),
    onError: () => {},
  });
  await until('they come again', () => again.size >= 7);
  expect([...again].sort()).toEqual(texts.filter((_, index) => index % 3 === 0).sort());
});

test('a message whose handler fails comes again after the channel ends', async () => {
  const publisher = await newPublisher();
  const errors: unknown[] = [];
  const first = await newBroker();
  await createConsumer(first, {
    queue: alertFiredQueue,
    prefetch: 1,
    handle: async () => {
      throw new Error('not now');
    },
    onError: (error) => void errors.push(error),
  });
  await publisher.publish(alert('again'));
  await until('it has failed', () => errors.length === 1);
  await first.close();
  const taken: Incoming[] = [];
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 1,
    handle: async (message) => void taken.push(message),
    onError: () => {},
  });
  await until('one is taken', () => taken.length === 1);
  expect(taken[0]!.redelivered).toBe(true);
});

test('a paused consumer takes nothing, and goes on when it is resumed', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const taken: string[] = [];
  const consumer = await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async ({ content }) => void taken.push(content.toString()),
    onError: () => {},
  });
  await consumer.pause();
  await publisher.publish(alert('while paused'));
  await until('one is in the queue', async () => (await queueDepth()) === 1);
  expect(taken).toEqual([]);
  await consumer.resume();
  await until('one is taken', () => taken.length === 1);
});

test('what was taken before a pause is not acknowledged by what is done after it', async () => {
  const publisher = await newPublisher();
  const broker = await newBroker();
  const taken: string[] = [];
  const consumer = await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: ({ content }) => {
      taken.push(content.toString());
      return content.toString() === 'slow' ? new Promise<void>(() => {}) : Promise.resolve();
    },
    onError: () => {},
  });
  await publisher.publish(alert('slow'));
  await until('the slow one is taken', () => taken.includes('slow'));
  await consumer.pause();
  await consumer.resume();
  await publisher.publish(alert('quick'));
  await until('the quick one is taken', () => taken.includes('quick'));
  await sleep(100);
  await broker.close();
  const again: string[] = [];
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async ({ content }) => void again.push(content.toString()),
    onError: () => {},
  });
  await until('one comes again', () => again.length > 0);
  expect(again).toEqual(['slow']);
});

test('a consumer that is paused and resumed in one breath is subscribed once, or not at all', async () => {
  const publisher = await newPublisher();
  const queueDepth = await newQueueDepth(alertFiredQueue);
  const taken: Incoming[] = [];
  const consumer = await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 1,
    handle: (message) => {
      taken.push(message);
      return new Promise<void>(() => {});
    },
    onError: () => {},
  });
  await Promise.all([consumer.pause(), consumer.resume(), consumer.pause(), consumer.resume()]);
  for (const text of ['one', 'two', 'three']) await publisher.publish(alert(text));
  await until('one is taken', () => taken.length > 0);
  await sleep(100);
  expect(taken).toHaveLength(1);
  await Promise.all([consumer.resume(), consumer.pause()]);
  expect(await queueDepth()).toBe(2);
});

test('a consumer with its hands full takes no more until they are half empty', async () => {
  const publisher = await newPublisher();
  const finishers: (() => void)[] = [];
  const consumer = await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 100,
    maxBytes: 2_000,
    handle: () => new Promise<void>((resolve) => void finishers.push(resolve)),
    onError: () => {},
  });
  for (const letter of 'abc') await publisher.publish(alert(letter.repeat(1_000)));
  await until('three are in hand', () => consumer.inHand() === 3);
  await sleep(100);
  await publisher.publish(alert('d'));
  await sleep(100);
  expect(consumer.inHand()).toBe(3);
  finishers[0]!();
  await sleep(100);
  expect(consumer.inHand()).toBe(2);
  finishers[1]!();
  await until('the fourth is taken', () => finishers.length === 4);
});

test('of a backlog of large messages few are taken, of small ones as many as may be', async () => {
  const publisher = await newPublisher();
  const publishAll = (count: number, size: number) =>
    Promise.all(Array.from({ length: count }, () => publisher.publish(alert('x'.repeat(size)))));
  const startTaking = async () => {
    const broker = await newBroker();
    const consumer = await createConsumer(broker, {
      queue: alertFiredQueue,
      prefetch: 2_000,
      maxBytes: 1_000_000,
      handle: () => new Promise<void>(() => {}),
      onError: () => {},
    });
    return { broker, consumer };
  };
  await publishAll(600, 20_000);
  const large = await startTaking();
  await until('some are taken', () => large.consumer.inHand() >= 50);
  await sleep(500);
  expect(large.consumer.inHand()).toBeLessThanOrEqual(250);
  await large.broker.close();
  await createTestBroker();

  await publishAll(2_500, 100);
  const small = await startTaking();
  await until('all that may be are taken', () => small.consumer.inHand() === 2_000);
  await sleep(500);
  expect(small.consumer.inHand()).toBe(2_000);
});

test('of what a publisher sends beside the message nothing is kept but the id of its request', async () => {
  const publisher = await newPublisher();
  const taken: Incoming[] = [];
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async (message) => void taken.push(message),
    onError: () => {},
  });
  await publisher.publish({ ...alert('x'), headers: { 'x-request-id': 'an-id', other: 'y'.repeat(10_000) } });
  await until('one is taken', () => taken.length === 1);
  expect(taken[0]!.headers).toEqual({ 'x-request-id': 'an-id' });
});

test('a message whose handler fails is tried again where it is', async () => {
  const publisher = await newPublisher();
  const errors: unknown[] = [];
  let calls = 0;
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 1,
    handle: async () => {
      calls += 1;
      if (calls === 1) throw new Error('not now');
    },
    onError: (error) => void errors.push(error),
  });
  await publisher.publish(alert('one'));
  await publisher.publish(alert('two'));
  await until('the first is tried again', () => calls === 3);
  expect(errors).toEqual([new Error('not now')]);
});

test('messages that fail together are not tried again together', async () => {
  const publisher = await newPublisher();
  const failed = new Set<string>();
  const againAtMs: number[] = [];
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 50,
    handle: async ({ content }) => {
      if (failed.has(content.toString())) againAtMs.push(performance.now());
      else {
        failed.add(content.toString());
        throw new Error('not now');
      }
    },
    onError: () => {},
  });
  await Promise.all(Array.from({ length: 50 }, (_, index) => publisher.publish(alert(`m${index}`))));
  await until('all are tried again', () => againAtMs.length === 50);
  expect(Math.max(...againAtMs) - Math.min(...againAtMs)).toBeGreaterThan(250);
});

test('what is handed back goes to others, and the consumer that is paused takes none of it', async () => {
  const publisher = await newPublisher();
  const broker = await newBroker();
  const taken: Incoming[] = [];
  const errors: unknown[] = [];
  const consumer = await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: (message) => void taken.push(message),
    onError: (error) => void errors.push(error),
  });
  for (const text of ['one', 'two', 'three']) await publisher.publish(alert(text));
  await until('all are taken', () => taken.length === 3);
  await consumer.pause();
  expect(taken.map((message) => message.isHandedBack())).toEqual([false, false, false]);
  await consumer.handBack();
  expect(taken.map((message) => message.isHandedBack())).toEqual([true, true, true]);
  await broker.ready();
  const others: string[] = [];
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async ({ content }) => void others.push(content.toString()),
    onError: () => {},
  });
  await until('the others have them', () => others.length === 3);
  taken[0]!.done();
  for (const message of taken.slice(1)) message.failed(new Error('too late'));
  await consumer.drained();
  expect(errors).toEqual([]);
  await consumer.resume();
  await publisher.publish(alert('four'));
  await until('the fourth is taken', () => others.length + taken.length === 7);
});

test('handing back comes to an end also where the broker goes away meanwhile', async () => {
  const gate = await startGate(brokerUrl());
  const broker = await newBroker({ url: gate.url });
  const consumer = await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: () => undefined,
    onError: () => {},
  });
  await broker.ready();
  gate.cutAtChannelClose();
  await consumer.handBack();
  await broker.close();
  await gate.close();
});
