import { createAckBatcher } from './ack-batcher.js';

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

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

test('settled messages before the oldest unsettled one share a frame; later ones get one each', async () => {
  const { ack, frames } = start(6);
  for (const tag of [5, 2, 1, 6]) ack(tag);
  expect(frames).toEqual([]);
  await nextTick();
  expect(frames).toEqual(['<=2', 5, 6]);
  for (const tag of [4, 3]) ack(tag);
  await nextTick();
  expect(frames).toEqual(['<=2', 5, 6, '<=4']);
});

test('a message in flight is never acknowledged, and no message is acknowledged twice', async () => {
  const { ack, frames } = start(3);
  for (const tag of [2, 2, 9]) ack(tag);
  await nextTick();
  for (const tag of [2, 3]) ack(tag);
  await nextTick();
  expect(frames).toEqual([2, 3]);
});

test('no acknowledgement is sent after the channel has closed', async () => {
  const { ack, close, received, frames } = start(2);
  ack(1);
  close();
  ack(2);
  received(3);
  ack(3);
  await nextTick();
  expect(frames).toEqual([]);
});

test('a channel that throws while its connection is closing gets no further acknowledgements', async () => {
  let sends = 0;
  const { ack } = start(2, () => {
    sends += 1;
    throw new Error('The channel is closing.');
  });
  for (const tag of [1, 2]) {
    ack(tag);
    await nextTick();
  }
  expect(sends).toBe(1);
});
