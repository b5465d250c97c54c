import { setTimeout as sleep } from 'node:timers/promises';
import { acquireMany, createTestSlots, releaseAll, webhook } from '../../test/support/slots.js';
import { createSlots, type Slot } from './slots.js';

const { jest } = import.meta;

afterEach(() => void jest.useRealTimers());

test('after the first response of a webhook, all of its waiting deliveries get slots', async () => {
  const slots = createTestSlots(1_000, 60_000);
  const [first] = acquireMany(slots, webhook('w'), 4);
  const waiting = Array.from({ length: 50 }, () => slots.acquireSoon(webhook('w')));
  slots.observe('w', 1);
  first!.release();
  const acquired = await Promise.all(waiting);
  expect(acquired.every((slot) => slot !== undefined)).toBe(true);
  expect(slots.inUse()).toBe(53);
});

test('a delivery of a hanging webhook gets no slot until the webhook releases one', async () => {
  const slots = createTestSlots(1_000, 5);
  const acquired = acquireMany(slots, webhook('hanging'));
  expect(await slots.acquireSoon(webhook('hanging'))).toBeUndefined();
  releaseAll(acquired);
  expect(slots.inUse()).toBe(0);
  expect(await slots.acquireSoon(webhook('hanging'))).toBeDefined();
});

test('a delivery keeps waiting for a slot as long as its webhook responds to other requests', async () => {
  let nowMs = 0;
  const slots = createSlots({ total: 1_000, now: () => nowMs, waitMs: 4 });
  slots.observe('w', 1);
  const held = acquireMany(slots, webhook('w'));
  const [first, second, third] = Array.from({ length: 3 }, () => slots.acquireSoon(webhook('w')));
  nowMs = 15;
  slots.observe('w', 1);
  held.pop()!.release();
  expect(await first).toBeDefined();
  await new Promise((resolve) => setTimeout(resolve, 60));
  slots.observe('w', 1);
  held.pop()!.release();
  expect(await second).toBeDefined();
  nowMs = 1_000;
  expect(await third).toBeUndefined();
});

test('a waiting delivery gets a slot that another webhook has released', async () => {
  const slots = createTestSlots(800, 5);
  const held = ['slow-1', 'slow-2', 'slow-3'].flatMap((name) => {
    slots.observe(name, 9_000);
    return acquireMany(slots, webhook(name, 'loud'));
  });
  expect(await slots.acquireSoon(webhook('slow-3', 'loud'))).toBeUndefined();
  const waiting = slots.acquireSoon(webhook('slow-3', 'loud'));
  releaseAll(held.slice(0, 20));
  expect(await waiting).toBeDefined();
});

test('a delivery that finds a free slot does not wait', async () => {
  const slots = createTestSlots(10, 60_000);
  const immediately = new Promise((resolve) => setImmediate(resolve, 'later'));
  expect(await Promise.race([slots.acquireSoon(webhook('w')), immediately])).toMatchObject({
    release: expect.any(Function),
  });
});

test('a delivery that gets a slot while it waits acquires no second slot later', async () => {
  const slots = createTestSlots(1_000, 5);
  const [held] = acquireMany(slots, webhook('w'));
  const waiting = slots.acquireSoon(webhook('w'));
  held!.release();
  const granted = await waiting;
  slots.observe('w', 1);
  const inUse = slots.inUse();
  await sleep(30);
  expect([granted, slots.inUse()]).toEqual([expect.anything(), inUse]);
});

test('a delivery of a responsive webhook waits for a slot for five seconds at most', async () => {
  let nowMs = 0;
  const slots = createSlots({ total: 1, now: () => nowMs, waitMs: 1 });
  slots.observe('w', 1);
  acquireMany(slots, webhook('w'));
  let result: string | undefined;
  void slots.acquireSoon(webhook('w')).then((slot) => {
    result = slot === undefined ? 'no slot' : 'a slot';
  });
  const waitFor = async (ms: number) => {
    nowMs += ms;
    slots.observe('w', 1);
    await sleep(30);
  };
  await waitFor(5_000);
  expect(result).toBeUndefined();
  await waitFor(1);
  expect(result).toBe('no slot');
});

describe('deliveries that wait for a slot', () => {
  const start = (total: number) => {
    jest.useFakeTimers();
    return createSlots({ total, now: () => Date.now() });
  };
  const stateOf = (waiting: Promise<Slot | undefined>) => {
    let state = 'waits';
    void waiting.then((slot) => {
      state = slot === undefined ? 'has no slot' : 'has a slot';
    });
    return async (ms: number) => {
      await jest.advanceTimersByTimeAsync(ms);
      return state;
    };
  };

  test('a delivery waits 100 ms if its webhook is not responsive', async () => {
    const slots = start(1_000);
    acquireMany(slots, webhook('hanging'));
    const after = stateOf(slots.acquireSoon(webhook('hanging')));
    expect([await after(99), await after(1)]).toEqual(['waits', 'has no slot']);
  });

  test('a delivery of a responsive webhook ends its wait if 500 ms pass without a response', async () => {
    const slots = start(1_000);
    slots.observe('w', 1);
    acquireMany(slots, webhook('w'));
    const after = stateOf(slots.acquireSoon(webhook('w')));
    expect([await after(500), await after(499), await after(1)]).toEqual(['waits', 'waits', 'has no slot']);
  });

  test('each released slot is assigned at once to one waiting delivery', async () => {
    const slots = start(1_000);
    slots.observe('w', 1);
    const held = acquireMany(slots, webhook('w'));
    const [first, second] = [0, 1].map(() => stateOf(slots.acquireSoon(webhook('w'))));
    held.pop()!.release();
    expect([await first!(0), await second!(0)]).toEqual(['has a slot', 'waits']);
    held.pop()!.release();
    expect(await second!(0)).toBe('has a slot');
  });

  test('a delivery of a responsive webhook gets one slot that another webhook has released', async () => {
    const slots = start(1);
    for (const name of ['w', 'other']) slots.observe(name, 1);
    const other = slots.acquire(webhook('other'))!;
    const after = stateOf(slots.acquireSoon(webhook('w')));
    other.release();
    expect([await after(500), slots.inUse()]).toEqual(['has a slot', 1]);
  });
});
