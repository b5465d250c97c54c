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

test('draining the consumers leaves no active timer', async () => {
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

test('consumers are paused during an outage of 14 s, and no message is returned', () => {
  const { availability, calls } = start();
  availability.emit('unavailable');
  jest.advanceTimersByTime(14_000);
  availability.emit('available');
  jest.advanceTimersByTime(60_000);
  expect(calls).toEqual(['pause', 'resume']);
});

test('messages are returned to the broker once during an outage of 60 s', () => {
  const { availability, calls } = start();
  availability.emit('unavailable');
  jest.advanceTimersByTime(60_000);
  availability.emit('available');
  expect(calls).toEqual(['pause', 'return', 'resume']);
});

test('a worker that stops during an outage neither returns messages nor resumes', () => {
  const { availability, stopping, calls } = start();
  availability.emit('unavailable');
  stopping.abort();
  jest.advanceTimersByTime(60_000);
  availability.emit('available');
  expect(calls).toEqual(['pause']);
});
