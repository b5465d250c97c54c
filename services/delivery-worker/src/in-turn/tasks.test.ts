import { setImmediate as turn } from 'node:timers/promises';
import { createTasks } from './tasks.js';

test('ended waits for failed tasks and for tasks that have not started yet', async () => {
  const errors: unknown[] = [];
  const tasks = createTasks((error) => errors.push(error));
  let finish = () => {};
  const add = (begin: () => Promise<void>) => tasks.add({ workspaceId: 'w', begin });
  add(async () => {
    throw new Error('no');
  });
  add(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  let isOver = false;
  const ended = tasks.ended().then(() => {
    isOver = true;
  });
  await turn();
  await turn();
  expect(isOver).toBe(false);
  finish();
  await ended;
  await tasks.ended();
  expect(errors).toEqual([new Error('no')]);
});

test('a few of many ready tasks start in each tick, in order of arrival', async () => {
  const tasks = createTasks(() => {});
  const begun: number[] = [];
  for (let index = 0; index < 500; index += 1)
    tasks.add({ workspaceId: 'w', begin: async () => void begun.push(index) });
  expect(begun).toEqual([]);
  await turn();
  const inFirstTurns = begun.length;
  await tasks.ended();
  expect(inFirstTurns).toBeGreaterThan(0);
  expect(inFirstTurns).toBeLessThan(100);
  expect(begun).toEqual(Array.from({ length: 500 }, (_, index) => index));
});

test('a workspace with many tasks does not delay a workspace with one', async () => {
  const tasks = createTasks(() => {});
  const begun: string[] = [];
  const add = (workspaceId: string) =>
    tasks.add({ workspaceId, begin: async () => void begun.push(workspaceId) });
  for (let index = 0; index < 500; index += 1) add('stormy');
  add('quiet');
  await tasks.ended();
  expect(begun.indexOf('quiet')).toBe(1);
});
