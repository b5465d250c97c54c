import { EventEmitter } from 'node:events';
import { realTimersExcept } from '@tocsin/testing';
import type { ConsumeMessage } from 'amqplib';
import type { Broker } from './connection.js';
import { type ConsumerOptions, createConsumer } from './consumer.js';
import type { QueueMessage } from './in-flight-message.js';

const { jest } = import.meta;

const settled = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Starts a consumer on a broker that opens a new channel after each closed one. */
async function start(options: Partial<ConsumerOptions> = {}) {
  const steps: string[] = [];
  const received: QueueMessage[] = [];
  const errors: unknown[] = [];
  let receive: (message: ConsumeMessage | null) => void = () => {};
  let tag = 0;
  let attach = async () => {};
  const openChannel = () => {
    const channel = Object.assign(new EventEmitter(), {
      prefetch: async (count: number) => void steps.push(`prefetch ${count}`),
      async consume(_: string, handle: typeof receive) {
        steps.push('consume');
        receive = handle;
        return { consumerTag: 'c' };
      },
      cancel: async () => void steps.push('cancel'),
      ack: ({ fields }: ConsumeMessage) => void steps.push(`ack ${fields.deliveryTag}`),
      async close() {
        steps.push('close');
        channel.emit('close');
      },
    });
    return channel;
  };
  const broker = {
    async use(prepare: (channel: unknown) => Promise<void>) {
      attach = () => prepare(openChannel());
      await attach();
    },
  } as unknown as Broker;
  const { handle = () => {}, ...rest } = options;
  const consumer = await createConsumer(broker, {
    queue: 'q',
    prefetch: 10,
    onError: (error) => errors.push(error),
    ...rest,
    handle(message) {
      received.push(message);
      handle(message);
    },
  });
  const deliver = (bytes = 1) => {
    tag += 1;
    receive({
      content: Buffer.alloc(bytes),
      fields: { deliveryTag: tag, redelivered: false, routingKey: '' },
      properties: {},
    } as ConsumeMessage);
  };
  const taken = async () => {
    await settled();
    return steps.splice(0);
  };
  return {
    consumer,
    deliver,
    cancelByBroker: () => receive(null),
    reopen: () => attach(),
    received,
    errors,
    taken,
  };
}

test('a consumer receives messages at once unless it starts paused', async () => {
  expect(await (await start()).taken()).toEqual(['prefetch 10', 'consume']);
  const { consumer, taken } = await start({ isPaused: true });
  expect(await taken()).toEqual([]);
  await consumer.resume();
  expect(await taken()).toEqual(['prefetch 10', 'consume']);
});

test('the longest delays before the retries of a message are 1, 2 and 4 s, and then always 5 s', async () => {
  jest.useFakeTimers({ doNotFake: realTimersExcept('setTimeout') });
  jest.spyOn(Math, 'random').mockReturnValue(1);
  const fault = new Error('not now');
  const { consumer, deliver, received, errors } = await start({
    handle: (message) => message.retry(fault),
  });
  deliver();
  expect(consumer.inFlight()).toBe(0);
  for (const [index, ms] of [1_000, 2_000, 4_000, 5_000, 5_000].entries()) {
    jest.advanceTimersByTime(ms - 1);
    expect(received).toHaveLength(index + 1);
    jest.advanceTimersByTime(1);
    expect(received).toHaveLength(index + 2);
  }
  expect([new Set(received).size, errors]).toEqual([1, Array(6).fill(fault)]);
});

test('messages that wait for a retry count towards the limit in bytes until they are returned', async () => {
  jest.useFakeTimers({ doNotFake: realTimersExcept('setTimeout') });
  const { consumer, deliver, reopen, taken } = await start({
    maxBytes: 100,
    handle: (message) => message.retry(new Error('not now')),
  });
  deliver(60);
  expect(await taken()).toEqual(['prefetch 10', 'consume']);
  deliver(60);
  expect(consumer.inFlight()).toBe(0);
  expect(await taken()).toEqual(['close']);
  await reopen();
  expect(await taken()).toEqual([]);
  jest.advanceTimersByTime(1_000);
  expect(await taken()).toEqual(['prefetch 1', 'consume']);
});

test('a message that was returned to the broker is neither handled again nor acknowledged', async () => {
  jest.useFakeTimers({ doNotFake: realTimersExcept('setTimeout') });
  const { consumer, deliver, received, errors, taken } = await start();
  for (let count = 0; count < 3; count += 1) deliver();
  const [waiting, late, failed] = received;
  waiting!.retry(new Error('not now'));
  await consumer.returnToBroker();
  jest.advanceTimersByTime(60_000);
  late!.ack();
  failed!.retry(new Error('too late'));
  await consumer.drained();
  expect(received.map((message) => message.isReturned())).toEqual([true, true, true]);
  expect([errors.length, await taken()]).toEqual([1, ['prefetch 10', 'consume', 'close']]);
});

test('a handler that throws retries the message', async () => {
  const fault = new Error('a defect');
  const { deliver, errors } = await start({
    handle() {
      throw fault;
    },
  });
  deliver();
  expect(errors).toEqual([fault]);
});

test('a consumer that the broker has cancelled opens a new channel and receives again', async () => {
  const { deliver, cancelByBroker, reopen, received, taken } = await start();
  deliver();
  cancelByBroker();
  expect(received[0]!.isReturned()).toBe(true);
  await taken();
  await reopen();
  deliver();
  received[1]!.ack();
  expect(received[1]!.isReturned()).toBe(false);
  expect(await taken()).toEqual(['prefetch 10', 'consume', 'ack 2']);
});

test('a consumer above its byte limit returns all messages, and receives again at half the limit', async () => {
  const { deliver, reopen, received, errors, taken } = await start({ maxBytes: 100 });
  deliver(60);
  deliver(40);
  expect([errors, await taken()]).toEqual([[], ['prefetch 10', 'consume']]);
  deliver(1);
  const sentence = 'More than 100 bytes of messages were in flight and are returned to the broker.';
  expect([errors, await taken()]).toEqual([[new Error(sentence)], ['close']]);
  await reopen();
  expect(await taken()).toEqual([]);
  received[1]!.ack();
  expect(await taken()).toEqual([]);
  received[0]!.ack();
  expect(await taken()).toEqual(['prefetch 1', 'consume']);
});

test('a single message above the byte limit is acknowledged, and no other arrives before', async () => {
  const { deliver, received, errors, taken } = await start({ maxBytes: 100 });
  deliver(101);
  expect(await taken()).toEqual(['prefetch 10', 'consume', 'cancel']);
  received[0]!.ack();
  expect([errors, await taken()]).toEqual([[], ['prefetch 10', 'consume', 'ack 1']]);
});

test('messages that the broker sent after one above the byte limit are returned with it', async () => {
  const { deliver, reopen, received, errors, taken } = await start({ maxBytes: 100 });
  deliver(101);
  deliver(1);
  expect([errors.length, received[0]!.isReturned(), (await taken()).at(-1)]).toEqual([1, true, 'close']);
  for (const message of received) message.ack();
  await reopen();
  expect(await taken()).toEqual(['prefetch 1', 'consume']);
  deliver(101);
  expect(await taken()).toEqual(['cancel']);
  received[2]!.ack();
  expect(await taken()).toEqual(['prefetch 1', 'consume', 'ack 3']);
});
