import {
  acquireMany,
  acquireManyAtWrite,
  createTestSlots,
  releaseAll,
  webhook,
} from '../../test/support/slots.js';
import { createSlots, type Slot } from './slots.js';

const { jest } = import.meta;

afterEach(() => void jest.useRealTimers());

test('a responsive webhook can have 512 slots, a slow one 256, and one without a response 4', () => {
  const slots = createTestSlots(1_000);
  const count = () => {
    const acquired = acquireMany(slots, webhook('w'));
    releaseAll(acquired);
    return acquired.length;
  };
  const before = count();
  slots.observe('w', 1);
  const responsive = count();
  slots.observe('w', 9_000);
  const slow = count();
  slots.observe('w', undefined);
  expect([before, responsive, slow, count()]).toEqual([4, 512, 256, 4]);
});

test('hanging webhooks of many workspaces leave a quarter of the slots to responsive webhooks', () => {
  const slots = createTestSlots(100);
  for (let index = 0; index < 100; index += 1) acquireMany(slots, webhook(`hanging-${index}`));
  expect(slots.inUse()).toBe(75);
  slots.observe('responsive', 20);
  expect(acquireMany(slots, webhook('responsive'))).toHaveLength(24);
});

test('slow webhooks leave a quarter of the slots to responsive webhooks', () => {
  const slots = createTestSlots(100);
  for (const name of ['slow-1', 'slow-2', 'slow-3']) {
    slots.observe(name, 9_000);
    acquireMany(slots, webhook(name), 50);
  }
  expect(slots.inUse()).toBe(75);
  slots.observe('responsive', 20);
  expect(slots.acquire(webhook('responsive'))).toBeDefined();
});

test('a new webhook gets 4 slots while 3,000 webhooks of another workspace hang', () => {
  const slots = createTestSlots(800);
  for (let index = 0; index < 3_000; index += 1) acquireMany(slots, webhook(`hanging-${index}`, 'loud'));
  // One workspace gets 15/16 of the 600 unreserved slots.
  expect(slots.inUse()).toBe(563);
  for (let index = 0; index < 5; index += 1)
    expect(acquireMany(slots, webhook(`new-${index}`))).toHaveLength(4);
  slots.observe('new-0', 1);
  expect(acquireMany(slots, webhook('new-0')).length).toBeGreaterThan(180);
});

test('a workspace with many responsive webhooks leaves slots to other workspaces', () => {
  const slots = createTestSlots(800);
  for (let index = 0; index < 20; index += 1) {
    slots.observe(`loud-${index}`, 20);
    acquireMany(slots, webhook(`loud-${index}`, 'loud'));
  }
  expect(slots.inUse()).toBe(750);
  const others = Array.from({ length: 10 }, (_, index) => slots.acquire(webhook(`new-${index}`)));
  expect(others.every((slot) => slot !== undefined)).toBe(true);
});

test('two workspaces that need every slot reach equal shares, even if one started first', async () => {
  jest.useFakeTimers();
  const slots = createTestSlots(800, 50);
  const names = ['slow-1', 'slow-2', 'slow-3'];
  const held: Record<string, Slot[]> = { first: [], second: [] };
  for (const [workspaceId, acquired] of Object.entries(held))
    for (const name of names) {
      slots.observe(`${name} of ${workspaceId}`, 9_000);
      acquired.push(...acquireMany(slots, webhook(`${name} of ${workspaceId}`, workspaceId)));
    }
  expect(held.second!.length).toBeLessThan(40);
  let isOver = false;
  const want = async (workspaceId: string, name: string): Promise<void> => {
    while (!isOver) {
      const slot = await slots.acquireSoon(webhook(`${name} of ${workspaceId}`, workspaceId));
      if (slot !== undefined) held[workspaceId]!.push(slot);
    }
  };
  const wanting = names.flatMap((name) =>
    Array.from({ length: 50 }, () => [want('first', name), want('second', name)]).flat(),
  );
  for (let round = 0; round < 2_000; round += 1) {
    for (const acquired of Object.values(held)) acquired.shift()!.release();
    // Waiting deliveries check for a slot only every 50 ms, so each round advances the fake clock.
    await jest.advanceTimersByTimeAsync(1);
  }
  // The webhooks are slow, so they share the 600 unreserved slots of 800. A workspace may use 15/16 of the slots that
  // the other one leaves, so each workspace gets 15/31 of 600 slots, about 290.
  const shares = Object.values(held).map((acquired) => acquired.length);
  expect(Math.min(...shares)).toBeGreaterThan(270);
  expect(Math.max(...shares)).toBeLessThan(310);
  isOver = true;
  await jest.advanceTimersByTimeAsync(100);
  await Promise.all(wanting);
});

test('a released slot is free again, and a second release has no effect', () => {
  const slots = createTestSlots(10);
  for (let round = 0; round < 50; round += 1) {
    const slot = slots.acquire(webhook(`w${round}`))!;
    slots.observe(`w${round}`, round % 2 === 0 ? 1 : undefined);
    slot.release();
    slot.release();
  }
  expect(slots.inUse()).toBe(0);
});

test('deliveries claimed at write leave half of the slots to deliveries from the queue', () => {
  const slots = createTestSlots(80);
  slots.observe('responsive', 20);
  const atWrite = acquireManyAtWrite(slots, webhook('responsive'));
  expect([atWrite.length, slots.freeAtWrite()]).toEqual([38, 0]);
  expect(slots.acquire(webhook('responsive'))).toBeDefined();
  releaseAll(atWrite);
  expect(slots.freeAtWrite()).toBe(38);
});

test('a delivery claimed at write gets no slot while deliveries from the queue use all slots', () => {
  const slots = createTestSlots(80);
  for (const name of ['a', 'b', 'c', 'd']) slots.observe(name, 20);
  const queued = ['a', 'b', 'c'].flatMap((name) => acquireMany(slots, webhook(name)));
  expect(queued).toHaveLength(80);
  expect(acquireManyAtWrite(slots, webhook('d'))).toHaveLength(0);
  queued[0]!.release();
  expect(acquireManyAtWrite(slots, webhook('d'))).toHaveLength(1);
});

test('responsive webhooks get a quarter of the slots for claims at write if other webhooks hang', () => {
  const slots = createTestSlots(80);
  const hanging = Array.from({ length: 40 }, (_, index) =>
    acquireManyAtWrite(slots, webhook(`hanging-${index}`)),
  ).flat();
  expect(hanging).toHaveLength(30);
  slots.observe('responsive', 20);
  expect(acquireManyAtWrite(slots, webhook('responsive'))).toHaveLength(10);
  // `freeAtWrite` is the maximum of a single workspace, 38, minus the slots in use, and at least 0. The workspaces
  // together use all 40 slots for claims at write.
  expect(slots.freeAtWrite()).toBe(0);
});

test('a workspace gets a slot for a claim at write while another workspace is at its limit', () => {
  const slots = createTestSlots(160);
  for (const name of ['loud', 'quiet', 'quiet too']) slots.observe(name, 20);
  const loud = [...acquireManyAtWrite(slots, webhook('loud')), ...acquireMany(slots, webhook('loud'))];
  expect(loud).toHaveLength(150);
  expect(slots.acquireAtWrite(webhook('quiet'))).toBeDefined();
  expect(slots.acquire(webhook('quiet too'))).toBeDefined();
});

test('the queue quota of an unknown webhook is its share of the slots, at least 1 and at most 4', () => {
  const slots = createTestSlots(160);
  expect(slots.queueQuota(webhook('hanging-0', 'loud'))).toBe(4);
  // The 60 webhooks of the workspace `loud` share the 120 unreserved slots of 160, so each has a quota of 2.
  slots.setBacklog(Array.from({ length: 60 }, (_, index) => webhook(`hanging-${index}`, 'loud')));
  expect(slots.queueQuota(webhook('hanging-0', 'loud'))).toBe(2);
  expect(slots.queueQuota(webhook('new'))).toBe(4);
  slots.setBacklog(Array.from({ length: 3_000 }, (_, index) => webhook(`hanging-${index}`, 'loud')));
  expect(slots.queueQuota(webhook('hanging-0', 'loud'))).toBe(1);
  slots.setBacklog([]);
  expect(slots.queueQuota(webhook('hanging-0', 'loud'))).toBe(4);
  slots.observe('responsive', 1);
  expect(slots.queueQuota(webhook('responsive'))).toBe(1_000);
});

test('the queue quota of a slow webhook is its share of the slots of its workspace', () => {
  const slots = createTestSlots(800);
  const slow = Array.from({ length: 3 }, (_, index) => webhook(`slow-${index}`, 'loud'));
  for (const { webhookId } of slow) slots.observe(webhookId, 9_000);
  expect(slots.queueQuota(slow[0]!)).toBe(256);
  slots.setBacklog(slow);
  expect(slots.queueQuota(slow[0]!)).toBe(200);
  acquireMany(slots, webhook('other'));
  expect(slots.queueQuota(slow[0]!)).toBe(198);
  slots.observe('responsive', 20);
  expect(slots.queueQuota(webhook('responsive', 'loud'))).toBe(1_000);
});

test('a workspace over its render budget may queue only the deliveries that the budget allows', () => {
  const left = new Map([
    ['over', 4],
    ['full', 0],
  ]);
  const rendersLeft = (workspaceId: string) => left.get(workspaceId) ?? Number.POSITIVE_INFINITY;
  const randoms = [0, 0.9, 0, 0.9];
  const random = () => randoms.shift() ?? 0;
  const slots = createSlots({ total: 80, now: () => 0, rendersLeft, random });
  for (const workspaceId of ['over', 'full', 'within']) slots.observe(`w of ${workspaceId}`, 20);
  const of = (workspaceId: string) => webhook(`w of ${workspaceId}`, workspaceId);
  slots.setBacklog(Array.from({ length: 8 }, (_, index) => webhook(`${index}`, 'over')));
  // The render budget of `over` allows four further deliveries. The share of each of its eight webhooks is half a
  // delivery, which is rounded at random to 0 or 1.
  expect([slots.queueQuota(of('over')), slots.queueQuota(of('over'))]).toEqual([0, 1]);
  expect([slots.queueQuota(of('full')), slots.queueQuota(of('full'))]).toEqual([0, 0]);
  expect(slots.queueQuota(of('within'))).toBe(1_000);
  expect(slots.acquireAtWrite(of('full'))).toBeUndefined();
  expect([slots.acquire(of('full')), slots.acquireAtWrite(of('over'))]).not.toContain(undefined);
});

test('responsive webhooks do not reduce the queue quota of other webhooks of their workspace', () => {
  const slots = createTestSlots(160);
  const responsive = Array.from({ length: 60 }, (_, index) => webhook(`responsive-${index}`, 'ws'));
  for (const { webhookId } of responsive) slots.observe(webhookId, 1);
  slots.setBacklog([...responsive, webhook('new', 'ws')]);
  expect(slots.queueQuota(webhook('new', 'ws'))).toBe(4);
});
