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

test('draining the consumers leaves no active timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const { signal } = new AbortController();
  const availability: DatabaseAvailability = new EventEmitter();
  const deps = {
    brokers: { alerts: {} as Broker, deliveries: {} as Broker },
    availability,
    slots: 1,
    onError() {},
    logger,
    signal,
  };
  await createConsumers(deps).drain();
  expect(timers()).toBe(before);
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
