import { createSlots, type Taker } from './slots.js';

/** A webhook, in a workspace of its own where none is given. */
const of = (webhookId: string, workspaceId = `workspace of ${webhookId}`): Taker => ({
  webhookId,
  workspaceId,
});

test('destinations that have not answered yet cannot take more than an eighth of the slots, but for a first request each', () => {
  const slots = createSlots({ total: 100, now: () => 0 });
  const taken = Array.from({ length: 100 }, (_, index) => {
    const webhook = of(`hanging-${index}`);
    return [slots.take(webhook), slots.take(webhook)].filter(Boolean).length;
  });
  // Six with two and one more fill the eighth; first requests go on to three quarters of all.
  expect(taken.filter((count) => count === 2)).toHaveLength(6);
  expect(slots.taken()).toBe(75);
});

test('a webhook that is new is heard while others that hang hold their part', () => {
  const slots = createSlots({ total: 100, now: () => 0 });
  for (let index = 0; index < 100; index += 1) slots.take(of(`hanging-${index % 7}`));
  expect(slots.taken()).toBe(13);
  slots.take(of('new'))!.release(1);
  expect(Array.from({ length: 90 }, () => slots.take(of('new'))).filter(Boolean)).toHaveLength(82);
});

test('a webhook that has answered gets many slots, and few again after it is in trouble', () => {
  const slots = createSlots({ total: 1_000, now: () => 0 });
  const count = () => {
    const taken = Array.from({ length: 300 }, () => slots.take(of('w'))).filter((slot) => slot !== undefined);
    return {
      taken: taken.length,
      release: (answeredMs: number | undefined) =>
        taken.forEach((slot) => {
          slot.release(answeredMs);
        }),
    };
  };
  const first = count();
  first.release(1);
  const second = count();
  second.release(undefined);
  const third = count();
  expect([first.taken, second.taken, third.taken]).toEqual([8, 256, 8]);
});

test('slots that are given back are all there again', () => {
  const slots = createSlots({ total: 10, now: () => 0 });
  for (let round = 0; round < 50; round += 1)
    slots.take(of(`w${round}`))!.release(round % 2 === 0 ? 1 : undefined);
  expect(slots.taken()).toBe(0);
});

test('who waits for a slot gets the next one of its webhook, and a first answer lets many in', async () => {
  const slots = createSlots({ total: 1_000, now: () => 0, waitMs: 60_000 });
  const first = Array.from({ length: 8 }, () => slots.take(of('w'))!);
  const waiting = Array.from({ length: 50 }, () => slots.takeSoon(of('w')));
  first[0]!.release(1);
  const got = await Promise.all(waiting);
  expect(got.every((slot) => slot !== undefined)).toBe(true);
  expect(slots.taken()).toBe(57);
});

test('who waits in vain is told so after a moment and holds nothing', async () => {
  const slots = createSlots({ total: 1_000, now: () => 0, waitMs: 5 });
  const first = Array.from({ length: 8 }, () => slots.take(of('hanging'))!);
  expect(await slots.takeSoon(of('hanging'))).toBeUndefined();
  for (const slot of first) slot.release(undefined);
  expect(slots.taken()).toBe(0);
  expect(await slots.takeSoon(of('hanging'))).toBeDefined();
});

test('who waits is told so in vain only when the webhook has stopped answering', async () => {
  let nowMs = 0;
  const slots = createSlots({ total: 1_000, now: () => nowMs, waitMs: 4 });
  slots.take(of('w'))!.release(1);
  const held = Array.from({ length: 256 }, () => slots.take(of('w'))!);
  const [first, second, third] = [slots.takeSoon(of('w')), slots.takeSoon(of('w')), slots.takeSoon(of('w'))];
  nowMs = 15;
  held.pop()!.release(1);
  expect(await first).toBeDefined();
  await new Promise((resolve) => setTimeout(resolve, 60));
  held.pop()!.release(1);
  expect(await second).toBeDefined();
  nowMs = 1_000;
  expect(await third).toBeUndefined();
});

test('early slots are three quarters of all; of webhooks not known to be quick one at a time, of those that have not answered in a quarter of them', () => {
  const slots = createSlots({ total: 80, now: () => 0 });
  const takeEarly = (name: string, times: number) =>
    Array.from({ length: times }, () => slots.takeEarly(of(name))).filter((slot) => slot !== undefined);
  const strangers = Array.from({ length: 20 }, (_, index) => takeEarly(`stranger-${index}`, 3)).flat();
  expect(strangers).toHaveLength(15);
  slots.take(of('slow'))!.release(2_000);
  const slow = takeEarly('slow', 3);
  expect(slow).toHaveLength(1);
  slots.take(of('quick'))!.release(20);
  const quick = takeEarly('quick', 80);
  expect([quick.length, slots.early(), slots.taken()]).toEqual([44, 0, 60]);
  // What comes from the queue has the rest.
  expect(slots.take(of('quick'))).toBeDefined();
  for (const slot of [...strangers, ...slow, ...quick]) slot.giveBack();
  expect(slots.early()).toBe(60);
});

test('destinations that are slow leave a quarter of the slots to the quick', () => {
  const slots = createSlots({ total: 100, now: () => 0 });
  for (const name of ['slow-1', 'slow-2', 'slow-3', 'quick'])
    slots.take(of(name))!.release(name === 'quick' ? 20 : 9_000);
  const taken = ['slow-1', 'slow-2', 'slow-3'].flatMap((name) =>
    Array.from({ length: 50 }, () => slots.take(of(name))).filter((slot) => slot !== undefined),
  );
  expect(taken).toHaveLength(75);
  expect(slots.take(of('quick'))).toBeDefined();
});

test('a slot that was released is not given back again', () => {
  const slots = createSlots({ total: 10, now: () => 0 });
  const slot = slots.take(of('w'))!;
  slot.release(1);
  slot.giveBack();
  expect(slots.taken()).toBe(0);
});

test('of webhooks that hang no more is worth queueing than finds a slot, and of each one at least', () => {
  const slots = createSlots({ total: 160, now: () => 0 });
  expect(slots.shareOf('hanging-0')).toBe(8);
  const hanging = Array.from({ length: 5 }, (_, index) => slots.take(of(`hanging-${index}`))!);
  expect(slots.shareOf('hanging-0')).toBe(4);
  for (let index = 5; index < 60; index += 1) hanging.push(slots.take(of(`hanging-${index}`))!);
  expect(slots.shareOf('hanging-0')).toBe(1);
  expect(slots.shareOf('new')).toBe(1);
  // They run out of time together; those that have more waiting will want slots again.
  slots.backlogged(Array.from({ length: 10 }, (_, index) => `hanging-${index}`));
  for (const slot of hanging) slot.release(undefined);
  expect(slots.shareOf('hanging-0')).toBe(2);
  slots.backlogged([]);
  expect(slots.shareOf('hanging-0')).toBe(8);
  slots.take(of('answers'))!.release(1);
  expect(slots.shareOf('answers')).toBe(1_000);
});

test('a webhook that has no slot finds one, early too, while a loud one has all that it may have', () => {
  const slots = createSlots({ total: 160, now: () => 0 });
  for (const name of ['loud', 'quiet', 'quiet too']) slots.take(of(name))!.release(20);
  const loud = [
    ...Array.from({ length: 160 }, () => slots.takeEarly(of('loud'))),
    ...Array.from({ length: 160 }, () => slots.take(of('loud'))),
  ].filter((slot) => slot !== undefined);
  expect(loud).toHaveLength(150);
  expect([slots.takeEarly(of('quiet')), slots.takeEarly(of('quiet'))]).toEqual([
    expect.anything(),
    undefined,
  ]);
  expect(slots.take(of('quiet too'))).toBeDefined();
  expect(slots.early()).toBe(0);
});

const slowNames = ['slow-1', 'slow-2', 'slow-3'];

/** All that a workspace gets for three webhooks that have answered after 9 s, and its waiters. */
function fillSlowly(slots: ReturnType<typeof createSlots>, workspaceId: string) {
  const webhooks = slowNames.map((name) => of(`${name} of ${workspaceId}`, workspaceId));
  for (const webhook of webhooks) slots.take(webhook)!.release(9_000);
  return webhooks.flatMap((webhook) =>
    Array.from({ length: 256 }, () => slots.take(webhook)).filter((slot) => slot !== undefined),
  );
}

test('a workspace whose destinations are slow may have nearly all slots of such, however many they are, and others find some', () => {
  const slots = createSlots({ total: 800, now: () => 0 });
  const held = fillSlowly(slots, 'loud');
  // Fifteen sixteenths of 600.
  expect(held).toHaveLength(563);
  // A webhook of its own that has none still gets its first; one that has some does not.
  expect(slots.take(of('another', 'loud'))).toBeDefined();
  expect(slots.take(of('another', 'loud'))).toBeUndefined();
  const others = Array.from({ length: 20 }, (_, index) => slots.take(of(`new-${index}`)));
  expect(others.every((slot) => slot !== undefined)).toBe(true);
});

test('what a workspace gives back of its slow slots is not its own again until the others have what they want', async () => {
  const slots = createSlots({ total: 800, now: () => 0, waitMs: 50 });
  const held = { first: fillSlowly(slots, 'first'), second: fillSlowly(slots, 'second') };
  expect(held.second.length).toBeLessThan(40);
  let isOver = false;
  const want = async (workspaceId: keyof typeof held, name: string): Promise<void> => {
    while (!isOver) {
      const slot = await slots.takeSoon(of(`${name} of ${workspaceId}`, workspaceId));
      if (slot !== undefined) held[workspaceId].push(slot);
    }
  };
  const wanting = slowNames.flatMap((name) =>
    Array.from({ length: 50 }, () => [want('first', name), want('second', name)]).flat(),
  );
  for (let round = 0; round < 2_000; round += 1) {
    for (const slotsOfOne of Object.values(held)) slotsOfOne.shift()!.release(9_000);
    await new Promise(setImmediate);
  }
  // Each has fifteen sixteenths of what the other leaves: 15/31 of 600.
  const shares = Object.values(held).map((slotsOfOne) => slotsOfOne.length);
  expect(Math.min(...shares)).toBeGreaterThan(270);
  expect(Math.max(...shares)).toBeLessThan(310);
  isOver = true;
  await Promise.all(wanting);
});

test('who waits for a slow webhook does so for a moment only, and looks once more before going', async () => {
  const slots = createSlots({ total: 800, now: () => 0, waitMs: 5 });
  const held = fillSlowly(slots, 'loud');
  const slow = of('slow-3 of loud', 'loud');
  expect(await slots.takeSoon(slow)).toBeUndefined();
  const waiting = slots.takeSoon(slow);
  // Of another webhook, which wakes nobody of this one.
  for (const slot of held.slice(0, 20)) slot.release(9_000);
  expect(await waiting).toBeDefined();
});

test('of webhooks that answer slowly little more is worth queueing than their workspace may have slots', () => {
  const slots = createSlots({ total: 800, now: () => 0 });
  slots.take(of('alone'))!.release(9_000);
  expect(slots.shareOf('alone')).toBe(256);
  fillSlowly(slots, 'loud');
  expect(slots.shareOf('slow-1 of loud')).toBe(200);
  slots.backlogged(Array.from({ length: 3 }, (_, index) => `slow-${index + 1} of loud`));
  expect(slots.shareOf('slow-1 of loud')).toBe(200);
  slots.take(of('quick', 'loud'))!.release(20);
  expect(slots.shareOf('quick')).toBe(1_000);
});

test('a webhook whose body takes long to render has few slots, and many again when it does not', () => {
  const slots = createSlots({ total: 800, now: () => 0 });
  slots.take(of('dear'))!.release(20);
  slots.rendered('dear', 15);
  expect([slots.isDear('dear'), slots.shareOf('dear')]).toEqual([false, 1_000]);
  slots.rendered('dear', 15);
  expect([slots.isDear('dear'), slots.shareOf('dear')]).toEqual([true, 8]);
  const taken = Array.from({ length: 20 }, () => slots.take(of('dear'))).filter((slot) => slot !== undefined);
  expect(taken).toHaveLength(8);
  for (const slot of taken) slot.release(20);
  for (let index = 0; index < 8; index += 1) slots.rendered('dear', 0.1);
  expect([slots.isDear('dear'), slots.shareOf('dear')]).toEqual([false, 1_000]);
});
