import { createTasks } from './tasks.js';

test('the end is told when the last task has ended, failed ones included', async () => {
  const errors: unknown[] = [];
  const tasks = createTasks((error) => errors.push(error));
  let finish = () => {};
  tasks.add(Promise.reject(new Error('no')));
  tasks.add(
    new Promise((resolve) => {
      finish = resolve;
    }),
  );
  let isOver = false;
  const ended = tasks.ended().then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  finish();
  await ended;
  await tasks.ended();
  expect(errors).toEqual([new Error('no')]);
});
