import { realTimersExcept } from '@tocsin/testing';
import { createAckBatcher } from './ack-batcher.js';

const { jest } = import.meta;

const collected = () => jest.advanceTimersByTime(50);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: realTimersExcept('setTimeout') });
});

afterEach(() => {
  jest.useRealTimers();
});

/**
 * Creates a batcher that has received the tags 1 to `count`. `frames` lists the sent acknowledgements: `5` means only
 * the tag 5, and `<=5` means all tags up to 5.
 */
function start(count: number, send: () => void = () => {}) {
  const frames: (string | number)[] = [];
  const batcher = createAckBatcher((tag, allUpTo) => {
    send();
    frames.push(allUpTo ? `<=${tag}` : tag);
  });
  for (let tag = 1; tag <= count; tag += 1) batcher.received(tag);
  return { frames, ...batcher };
}

test('settled messages before the oldest unsettled one share a frame; later ones get one each', () => {
  const { ack, frames } = start(6);
  for (const tag of [5, 2, 1]) ack(tag);
  jest.advanceTimersByTime(49);
  ack(6);
  expect(frames).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(frames).toEqual(['<=2', 5, 6]);
  for (const tag of [4, 3]) ack(tag);
  collected();
  expect(frames).toEqual(['<=2', 5, 6, '<=4']);
});

test('a message in flight is never acknowledged, and no message is acknowledged twice', () => {
  const { ack, frames } = start(3);
  for (const tag of [2, 2, 9]) ack(tag);
  collected();
  for (const tag of [2, 3]) ack(tag);
  collected();
  expect(frames).toEqual([2, 3]);
});

test('flush sends the collected acknowledgements at once, and each one is sent only once', () => {
  const { ack, flush, frames } = start(3);
  ack(1);
  flush();
  expect(frames).toEqual(['<=1']);
  collected();
  ack(3);
  expect(frames).toEqual(['<=1']);
  collected();
  expect(frames).toEqual(['<=1', 3]);
});

test('no acknowledgement is sent after the channel has closed', () => {
  const { ack, close, received, frames } = start(2);
  ack(1);
  close();
  ack(2);
  received(3);
  ack(3);
  collected();
  expect(frames).toEqual([]);
});

test('a channel that throws while its connection is closing gets no further acknowledgements', () => {
  let sends = 0;
  const { ack } = start(2, () => {
    sends += 1;
    throw new Error('The channel is closing.');
  });
  for (const tag of [1, 2]) {
    ack(tag);
    collected();
  }
  expect(sends).toBe(1);
});
