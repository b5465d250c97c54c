import { setImmediate as nextTick } from 'node:timers/promises';
import { createLimit } from './limit.js';

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

test('the number of running works is limited; waiting works start in order of arrival', async () => {
  const limit = createLimit(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 6 }, gate);
  const runs = gates.map((one, index) =>
    limit.run(async () => {
      begun.push(index);
      await one.passed;
    }),
  );
  await nextTick();
  expect(begun).toEqual([0, 1]);
  gates[1]!.open();
  await runs[1];
  await nextTick();
  expect(begun).toEqual([0, 1, 2]);
  for (const one of gates) one.open();
  await Promise.all(runs);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

test('failed work releases its permit and keeps its error', async () => {
  const limit = createLimit(1);
  await expect(limit.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(limit.run(async () => {})).resolves.toBeUndefined();
});

test('the limit holds for thousands of works', async () => {
  const limit = createLimit(10);
  let busy = 0;
  let most = 0;
  const work = async () => {
    busy += 1;
    most = Math.max(most, busy);
    await nextTick();
    busy -= 1;
  };
  await Promise.all(Array.from({ length: 3_000 }, () => limit.run(work)));
  expect([busy, most]).toEqual([0, 10]);
});

test('refusing rejects waiting and later work, while running work ends', async () => {
  const limit = createLimit(1);
  const { open, passed } = gate();
  const going = limit.run(() => passed);
  const waiting = [limit.run(async () => {}), limit.run(async () => {})];
  limit.refuseWaiting(new Error('stopping'));
  expect(await Promise.allSettled(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  open();
  await going;
  await expect(limit.run(async () => {})).rejects.toThrow('stopping');
});

test('work that leaves lets the next work start, unless too many have left', async () => {
  const limit = createLimit(1, 2);
  const gates = Array.from({ length: 5 }, gate);
  let begun = 0;
  const runs = gates.map(({ passed }) =>
    limit.run((leave) => {
      begun += 1;
      leave();
      leave();
      return passed;
    }),
  );
  await nextTick();
  // Two have left; the third has the place.
  expect(begun).toBe(3);
  gates[0]!.open();
  await runs[0];
  await nextTick();
  // Its end makes room for one that leaves, but the third was refused and keeps its place.
  expect(begun).toBe(3);
  gates[2]!.open();
  await runs[2];
  await nextTick();
  expect(begun).toBe(5);
  for (const { open } of gates) open();
  await Promise.all(runs);
});
