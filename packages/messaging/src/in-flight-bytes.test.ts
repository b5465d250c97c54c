import { createInFlightBytes } from './in-flight-bytes.js';

function start() {
  const changes: boolean[] = [];
  return { changes, ...createInFlightBytes({ maxBytes: 100, onChange: (isFull) => changes.push(isFull) }) };
}

test('a consumer becomes full above its byte limit, and stops being full at half of the limit', () => {
  const { add, remove, isFull, changes } = start();
  add(49);
  add(51);
  expect([isFull(), changes]).toEqual([false, []]);
  add(1);
  expect([isFull(), changes]).toEqual([true, [true]]);
  remove(49);
  add(1);
  expect([isFull(), changes]).toEqual([true, [true]]);
  remove(1);
  remove(1);
  expect([isFull(), changes]).toEqual([true, [true]]);
  add(0);
  remove(1);
  expect([isFull(), changes]).toEqual([false, [true, false]]);
});

test('drained resolves for every caller when no message is in flight', async () => {
  const { add, remove, count, drained } = start();
  await drained();
  add(5);
  add(0);
  const ended: string[] = [];
  const both = Promise.all(['a', 'b'].map((name) => drained().then(() => ended.push(name))));
  remove(5);
  await new Promise((resolve) => setImmediate(resolve));
  expect([count(), ended]).toEqual([1, []]);
  remove(0);
  await both;
  expect([count(), ended]).toEqual([0, ['a', 'b']]);
});
