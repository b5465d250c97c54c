import { createGate } from './gate.js';

const refuse = (why: string) => new Error(why);
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Notes who got in, in that order. */
function setUp(maxWaitMs = 60_000) {
  const gate = createGate({ places: 3, placesOfKey: 2, maxWaitMs });
  const entered: string[] = [];
  const enter = async (key: string) => {
    const leave = await gate.enter(key, refuse);
    entered.push(key);
    return leave;
  };
  return { enter, entered };
}

test('so many are let in at a time, and so many of one key', async () => {
  const { enter, entered } = setUp();
  const [leave] = await Promise.all([enter('a'), enter('a')]);
  const third = enter('a');
  await enter('b');
  expect(entered).toEqual(['a', 'a', 'b']);
  leave!();
  // Giving it back twice gives back one.
  leave!();
  await third;
  const fourth = enter('c');
  await settle();
  expect(entered).toEqual(['a', 'a', 'b', 'a']);
  (await third)();
  await fourth;
  expect(entered).toEqual(['a', 'a', 'b', 'a', 'c']);
});

test('a free place goes to the key that has the fewest, however many of another wait', async () => {
  const { enter, entered } = setUp();
  const [, leaveB] = await Promise.all([enter('a'), enter('b'), enter('b')]);
  const waiting = [enter('b'), enter('b'), enter('a'), enter('c')];
  // The others wait in vain.
  for (const one of waiting) one.catch(() => {});
  leaveB!();
  await waiting[3];
  expect(entered).toEqual(['a', 'b', 'b', 'c']);
});

test('who waits too long is told whether it waited for itself', async () => {
  const { enter } = setUp(20);
  await Promise.all([enter('a'), enter('a'), enter('b')]);
  await expect(enter('a')).rejects.toThrow('own');
  await expect(enter('c')).rejects.toThrow('all');
});
