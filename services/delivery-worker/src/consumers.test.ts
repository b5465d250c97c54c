import { EventEmitter } from 'node:events';
import { createLogger } from '@tocsin/kit';
import type { Broker } from '@tocsin/messaging';
import { createConsumers, pauseWhileUnavailable } from './consumers.js';
import type { DatabaseAvailability } from './database-retry.js';

const logger = createLogger({ service: 'test', level: 'silent' });

const { jest } = import.meta;

function start() {
  jest.useFakeTimers();
  const availability: DatabaseAvailability = new EventEmitter();
  const stopping = new AbortController();
  const calls: string[] = [];
  const call = (name: string) => async () => void calls.push(name);
  pauseWhileUnavailable(
    { availability, logger, signal: stopping.signal },
    { pause: call('pause'), resume: call('resume'), returnToBroker: call('return') },
  );
  return { availability, stopping, calls };
}
afterEach(() => {
  jest.useRealTimers();
});

const depsWith = (broker: Broker) => ({
  brokers: { alerts: broker, deliveries: broker },
  availability: new EventEmitter() as DatabaseAvailability,
  slots: 1,
  onError() {},
  logger,
  signal: new AbortController().signal,
});

/**
 * Creates a fake broker. The calls that consumers make on its channels are appended to `calls`. `deliver` sends a
 * message to the consumer of a queue.
 */
function brokerOf(name: string, calls: string[]) {
  const handlers = new Map<string, (message: unknown) => void>();
  const openChannel = () =>
    Object.assign(new EventEmitter(), {
      prefetch: async (count: number) => void calls.push(`prefetch ${count}`),
      async consume(queue: string, handle: (message: unknown) => void) {
        calls.push(`consume ${queue} of ${name}`);
        handlers.set(queue, handle);
        return { consumerTag: queue };
      },
      cancel: async (tag: string) => void calls.push(`cancel ${tag}`),
    });
  const broker = { use: (attach: (channel: unknown) => Promise<void>) => attach(openChannel()) };
  const deliver = (queue: string, bytes: number) =>
    handlers.get(queue)!({
      content: Buffer.alloc(bytes),
      fields: { deliveryTag: 1, redelivered: false, routingKey: '' },
      properties: {},
    });
  return { broker: broker as unknown as Broker, deliver };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Opens the consumers of a worker with five slots. */
async function open() {
  const calls: string[] = [];
  const handled: string[] = [];
  const [alerts, deliveries] = [brokerOf('alerts', calls), brokerOf('deliveries', calls)];
  const consumers = createConsumers({
    ...depsWith(alerts.broker),
    brokers: { alerts: alerts.broker, deliveries: deliveries.broker },
    slots: 5,
  });
  await consumers.open({
    alerts: { handle: () => void handled.push('alert'), rejectWaiting() {} },
    deliveries: { handle: () => void handled.push('delivery') },
  });
  const taken = async () => {
    await settled();
    return calls.splice(0);
  };
  return { consumers, alerts, deliveries, taken, handled };
}

test('consumers receive messages only after every reason for their pause has ended', async () => {
  const { consumers, taken } = await open();
  expect(await taken()).toEqual([]);
  consumers.pause('database');
  consumers.resume('keys');
  expect(await taken()).toEqual([]);
  consumers.resume('database');
  const queues = ['alert-fired of alerts', 'alerts-unrouted of alerts', 'deliveries of deliveries'];
  expect(await taken()).toEqual(expect.arrayContaining(queues.map((queue) => `consume ${queue}`)));
  consumers.pause('keys');
  expect((await taken()).sort()).toEqual([
    'cancel alert-fired',
    'cancel alerts-unrouted',
    'cancel deliveries',
  ]);
});

test.each([
  ['alerts', 'alert-fired', 100, 40_000, 'alert'],
  ['alerts', 'alert-fired', 1_000, 33_554, 'alert'],
  ['alerts', 'alerts-unrouted', 100, 1_000, 'alert'],
  ['deliveries', 'deliveries', 100, 2 * 5 + 300, 'delivery'],
] as const)(
  'connection for %s, queue %s: of messages with %i bytes, at most %i are in flight',
  async (broker, queue, bytes, prefetch, kind) => {
    const { consumers, taken, handled, ...brokers } = await open();
    consumers.resume('keys');
    await taken();
    for (let count = 0; count < 32; count += 1) brokers[broker].deliver(queue, bytes);
    expect(await taken()).toEqual([`prefetch ${prefetch - 32}`, `consume ${queue} of ${broker}`]);
    expect(new Set(handled)).toEqual(new Set([kind]));
  },
);

test('after the consumers are drained, no timer is active', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  await createConsumers(depsWith({} as Broker)).drain();
  expect(timers()).toBe(before);
});

test('alerts that wait for a batch are rejected when messages are returned to the broker', async () => {
  const consumers = createConsumers(depsWith({ use: async () => {} } as unknown as Broker));
  const rejected: string[] = [];
  await consumers.open({
    alerts: { handle() {}, rejectWaiting: ({ message }) => void rejected.push(message) },
    deliveries: { handle() {} },
  });
  expect(rejected).toEqual([]);
  await consumers.returnToBroker();
  expect(rejected).toEqual(['The message was returned to the broker.']);
});

test('an outage shorter than 15 s pauses the consumers and returns no message to the broker', () => {
  const { availability, calls } = start();
  availability.emit('unavailable');
  jest.advanceTimersByTime(14_999);
  availability.emit('available');
  jest.advanceTimersByTime(60_000);
  expect(calls).toEqual(['pause', 'resume']);
});

test('messages are returned to the broker once during an outage, after 15 s', () => {
  const { availability, calls } = start();
  availability.emit('unavailable');
  jest.advanceTimersByTime(15_000);
  expect(calls).toEqual(['pause', 'return']);
  jest.advanceTimersByTime(45_000);
  availability.emit('available');
  expect(calls).toEqual(['pause', 'return', 'resume']);
});

test('a worker that stops during an outage neither requeues messages nor resumes its consumers', () => {
  const { availability, stopping, calls } = start();
  availability.emit('unavailable');
  stopping.abort();
  jest.advanceTimersByTime(60_000);
  availability.emit('available');
  expect(calls).toEqual(['pause']);
});
