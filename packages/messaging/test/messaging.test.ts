import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange, deliveriesExchange, deliveryDueKey } from '@tocsin/contracts';
import { connect } from 'amqplib';
import { createBroker } from '../src/connection.js';
import { createConsumer, type Incoming } from '../src/consumer.js';
import { createPublisher, PublishError } from '../src/publisher.js';
import { createTestBroker, startGate } from '../src/testing.js';
import { alertFiredQueue, deliveriesQueue, unroutedQueue } from '../src/topology.js';

let url: string;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  ({ url } = await createTestBroker());
});
afterEach(async () => {
  for (const broker of open.splice(0)) await broker.close();
});

async function newBroker(address = url) {
  const broker = await createBroker({ url: address, name: 'test' });
  open.push(broker);
  return broker;
}

async function newPublisher(options = {}) {
  const broker = await newBroker();
  const publisher = await createPublisher(broker, options);
  await broker.ready();
  return publisher;
}

const alert = (text: string) => ({
  exchange: alertsExchange,
  routingKey: alertFiredKey,
  content: Buffer.from(text),
});

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) {
    if (await check()) return;
    await sleep(10);
  }
  throw new Error('Waited ten seconds in vain.');
}

test('a message is confirmed, persistent, and acknowledged only when its handler is done', async () => {
  const publisher = await newPublisher();
  const taken: Incoming[] = [];
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const consumer = await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async (message) => {
      taken.push(message);
      await done;
    },
    onError: () => {},
  });
  await publisher.publish(alert('one'));
  await until(() => taken.length === 1);
  expect(consumer.inHand()).toBe(1);
  finish();
  await consumer.drained();
  await until(async () => (await publisher.depth(alertFiredQueue)) === 0);
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
  await until(() => finishers.size === 20);
  for (const text of texts.filter((_, index) => index % 3 !== 0).reverse()) finishers.get(text)!();
  await until(() => consumer.inHand() === 7);
  await sleep(100);
  await broker.close();
  const again = new Set<string>();
  await createConsumer(await newBroker(), {
    queue: deliveriesQueue,
    prefetch: 100,
    handle: async ({ content }) => void again.add(content.toString()),
    onError: () => {},
  });
  await until(() => again.size >= 7);
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
  await until(() => errors.length === 1);
  await first.close();
  const taken: Incoming[] = [];
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 1,
    handle: async (message) => void taken.push(message),
    onError: () => {},
  });
  await until(() => taken.length === 1);
  expect(taken[0]!.redelivered).toBe(true);
});

test('a paused consumer takes nothing, and goes on when it is resumed', async () => {
  const publisher = await newPublisher();
  const taken: string[] = [];
  const consumer = await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async ({ content }) => void taken.push(content.toString()),
    onError: () => {},
  });
  await consumer.pause();
  await publisher.publish(alert('while paused'));
  await until(async () => (await publisher.depth(alertFiredQueue)) === 1);
  expect(taken).toEqual([]);
  await consumer.resume();
  await until(() => taken.length === 1);
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
  await until(() => taken.includes('slow'));
  await consumer.pause();
  await consumer.resume();
  await publisher.publish(alert('quick'));
  await until(() => taken.includes('quick'));
  await sleep(100);
  await broker.close();
  const again: string[] = [];
  await createConsumer(await newBroker(), {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async ({ content }) => void again.push(content.toString()),
    onError: () => {},
  });
  await until(() => again.length > 0);
  expect(again).toEqual(['slow']);
});

test('a consumer that is paused and resumed in one breath is subscribed once, or not at all', async () => {
  const publisher = await newPublisher();
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
  await until(() => taken.length > 0);
  await sleep(100);
  expect(taken).toHaveLength(1);
  await Promise.all([consumer.resume(), consumer.pause()]);
  expect(await publisher.depth(alertFiredQueue)).toBe(2);
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
  await until(() => consumer.inHand() === 3);
  await sleep(100);
  await publisher.publish(alert('d'));
  await sleep(100);
  expect(consumer.inHand()).toBe(3);
  finishers[0]!();
  await sleep(100);
  expect(consumer.inHand()).toBe(2);
  finishers[1]!();
  await until(() => finishers.length === 4);
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
  await until(() => large.consumer.inHand() >= 50);
  await sleep(500);
  expect(large.consumer.inHand()).toBeLessThanOrEqual(250);
  await large.broker.close();
  await createTestBroker();

  await publishAll(2_500, 100);
  const small = await startTaking();
  await until(() => small.consumer.inHand() === 2_000);
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
  await until(() => taken.length === 1);
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
  await until(() => calls === 3);
  expect(errors).toEqual([new Error('not now')]);
});

test('a connection that is cut comes back, and publisher and consumer with it', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  const publisher = await createPublisher(broker);
  const taken: string[] = [];
  await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 10,
    handle: async ({ content }) => void taken.push(content.toString()),
    onError: () => {},
  });
  await broker.ready();
  gate.cut();
  await until(() => !broker.isUp());
  await expect(publisher.publish(alert('lost'))).rejects.toMatchObject({ reason: 'away' });
  await broker.ready();
  await publisher.publish(alert('after'));
  await until(() => taken.includes('after'));
  await gate.close();
});

test('what cannot be attached is tried again, also where the broker falls silent just then', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  let attached = 0;
  await broker.use(async () => {
    attached += 1;
    if (attached > 1) return;
    gate.freeze();
    setTimeout(gate.thaw, 50);
    throw new Error('not yet');
  });
  await until(() => broker.isUp());
  expect(attached).toBe(2);
  await broker.close();
  await gate.close();
});

test('a connection that the broker closes together with its last reply is made anew', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  let attached = 0;
  await broker.use(async (channel) => {
    attached += 1;
    if (attached === 1) gate.closeWithNextReply();
    await channel.checkQueue(alertFiredQueue);
  });
  await until(() => attached === 2);
  await broker.ready();
  await broker.close();
  await gate.close();
});

const reasonOf = (error: PublishError) => error.reason;

/** How it ends, and whether it does so at once. */
async function outcomeOf(published: Promise<void>) {
  const startedAtMs = performance.now();
  const outcome = await published.then(() => 'confirmed' as const, reasonOf);
  return { outcome, atOnce: performance.now() - startedAtMs < 300 };
}

test('whoever comes after a confirm is overdue is refused at once, and taken as soon as the late one is there', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 500, refuseAfterMs: 300 });
  let connections = 0;
  await broker.use(async () => {
    connections += 1;
  });
  await broker.ready();
  gate.freeze();
  await expect(publisher.publish(alert('overdue'))).rejects.toMatchObject({ reason: 'timeout' });
  // One after the other, and longer than any of them would have waited.
  for (let count = 0; count < 10; count += 1) {
    expect(await outcomeOf(publisher.publish(alert('refused')))).toEqual({ outcome: 'away', atOnce: true });
    await sleep(60);
  }
  gate.thaw();
  await until(async () => (await publisher.publish(alert('after')).catch(reasonOf)) === undefined);
  expect(connections).toBe(1);
  // What was refused was not sent.
  expect(await publisher.depth(alertFiredQueue)).toBe(2);
  await broker.close();
  await gate.close();
});

test('a publisher that was not told to refuse waits for each confirm', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 600 });
  await broker.ready();
  gate.freeze();
  for (const text of ['one', 'two'])
    expect(await outcomeOf(publisher.publish(alert(text)))).toEqual({ outcome: 'timeout', atOnce: false });
  await gate.close();
});

test('a broker that holds its publishers back refuses at once, and takes again as soon as it says so', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  const publisher = await createPublisher(broker, { confirmTimeoutMs: 20_000 });
  await broker.ready();
  await publisher.publish(alert('before'));
  gate.stopReading();
  // RabbitMQ tells a connection with its first message, which it leaves unread.
  const first = outcomeOf(publisher.publish(alert('unread')));
  const startedAtMs = performance.now();
  gate.sayBlocked();
  expect((await first).outcome).toBe('blocked');
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  for (let count = 0; count < 5; count += 1)
    expect(await outcomeOf(publisher.publish(alert('refused')))).toEqual({
      outcome: 'blocked',
      atOnce: true,
    });
  gate.unblock();
  await until(() => !broker.isBlocked());
  await publisher.publish(alert('after'));
  expect(await publisher.depth(alertFiredQueue)).toBe(3);
  await broker.close();
  await gate.close();
});

test('what a broker had taken before it held its publishers back is confirmed all the same', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  const publisher = await createPublisher(broker);
  await broker.ready();
  const taken = Promise.all(['one', 'two', 'three'].map((text) => publisher.publish(alert(text))));
  gate.sayBlocked();
  await taken;
  expect(broker.isBlocked()).toBe(true);
  await gate.close();
});

test('a connection made anew is not taken for the one that was held back', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  const publisher = await createPublisher(broker);
  await broker.ready();
  gate.sayBlocked();
  await until(() => broker.isBlocked());
  gate.cut();
  await until(() => !broker.isUp());
  await broker.ready();
  await publisher.publish(alert('after'));
  await broker.close();
  await gate.close();
});

test('a broker that holds back while its connection is still being set up is known to', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  await broker.use(async () => {
    gate.sayBlocked();
    await sleep(50);
  });
  await broker.ready();
  expect(broker.isBlocked()).toBe(true);
  await broker.close();
  await gate.close();
});

test('closing does not wait for a broker that no longer answers', async () => {
  const gate = await startGate(new URL(url));
  const broker = await newBroker(gate.url);
  await broker.ready();
  gate.freeze();
  await broker.close();
  await gate.close();
});

test('what nobody listens to is kept in the alternate queue, and what no queue takes is refused', async () => {
  const publisher = await newPublisher();
  await publisher.publish({ ...alert('elsewhere'), routingKey: 'alert.unknown' });
  await until(async () => (await publisher.depth(unroutedQueue)) === 1);
  const lost = { exchange: deliveriesExchange, routingKey: 'nobody', content: Buffer.from('x') };
  await expect(publisher.publish(lost)).rejects.toMatchObject({ reason: 'returned' });
});

test('without a broker, publishing fails at once with a sentence', async () => {
  const broker = await newBroker('amqp://127.0.0.1:1');
  const publisher = await createPublisher(broker);
  await expect(publisher.publish(alert('x'))).rejects.toBeInstanceOf(PublishError);
  await expect(publisher.depth(alertFiredQueue)).rejects.toMatchObject({ reason: 'away' });
  expect(broker.isUp()).toBe(false);
});

test('the queues are quorum queues with an explicit, large delivery limit', async () => {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  const declare = channel.assertQueue(deliveriesQueue, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000 },
  });
  await expect(declare).resolves.toMatchObject({ queue: deliveriesQueue });
  await connection.close();
});
