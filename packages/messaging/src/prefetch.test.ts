import { createPrefetch, type Prefetch } from './prefetch.js';

const mebibyte = 1_048_576;
const newPrefetch = () => createPrefetch({ max: 40_000, maxBytes: 32 * mebibyte });

/** Asks on while messages of a size come, none of which is settled; what was asked for each time. */
function takeAll(prefetch: Prefetch, bytes: number, begun = prefetch.first()): number[] {
  const asked = [begun];
  let inFlight = 0;
  for (let next = begun; next > 0; ) {
    for (let count = 0; count < next; count += 1) prefetch.received(bytes);
    inFlight += next;
    next = prefetch.more(inFlight);
    if (next > 0) asked.push(next);
  }
  return asked;
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

test('small messages are asked for until there are as many as there may be, and never many at once unseen', () => {
  const asked = takeAll(newPrefetch(), 600);
  expect(sum(asked)).toBe(40_000);
  expect(asked[0]).toBe(250);
  expect(Math.max(...asked)).toBe(4_000);
});

test('as many are asked for as fit, by the sizes seen last', () => {
  const asked = sum(takeAll(newPrefetch(), 10_000));
  expect(asked * 10_000).toBeLessThanOrEqual(32 * mebibyte);
  expect(asked).toBeGreaterThan(1_500);
});

test('of large messages no more are asked for, and fewer when taking begins again', () => {
  const prefetch = newPrefetch();
  expect(takeAll(prefetch, mebibyte)).toEqual([250]);
  expect(prefetch.first()).toBe(16);
  // They are small again.
  expect(sum(takeAll(prefetch, 600, 16))).toBe(40_000);
});

test('nothing more is asked for before what was asked for has come', () => {
  const prefetch = newPrefetch();
  prefetch.first();
  for (let count = 0; count < 249; count += 1) prefetch.received(600);
  expect(prefetch.more(249)).toBe(0);
  prefetch.received(600);
  expect(prefetch.more(250)).toBe(250);
});

test('what is in hand from before counts', () => {
  const prefetch = newPrefetch();
  prefetch.first();
  for (let count = 0; count < 250; count += 1) prefetch.received(600);
  expect(prefetch.more(40_000)).toBe(0);
  expect(prefetch.more(39_900)).toBe(100);
});

test('where bytes are not limited, all are asked for at once', () => {
  expect(createPrefetch({ max: 1_600, maxBytes: Number.POSITIVE_INFINITY }).first()).toBe(1_600);
});

test('a single message at a time can be asked for', () => {
  expect(takeAll(createPrefetch({ max: 1, maxBytes: 100 }), 1_000)).toEqual([1]);
});
