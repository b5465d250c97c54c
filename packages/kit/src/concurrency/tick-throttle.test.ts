import { setImmediate as nextTick } from 'node:timers/promises';
import { createTickThrottle } from './tick-throttle.js';

test('a tick throttle runs a limited number of callbacks in each tick, in order', async () => {
  const throttle = createTickThrottle(3);
  const called: number[] = [];
  for (let index = 0; index < 8; index += 1) throttle.schedule(() => called.push(index));
  const calledByTick: number[] = [called.length];
  while (called.length < 8) {
    await nextTick();
    calledByTick.push(called.length);
  }
  expect(calledByTick).toEqual([0, 3, 6, 8]);
  expect(called).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('a tick throttle runs a callback that is scheduled after an idle period', async () => {
  const throttle = createTickThrottle(1);
  const called: string[] = [];
  throttle.schedule(() => called.push('first'));
  await nextTick();
  await nextTick();
  throttle.schedule(() => called.push('second'));
  await nextTick();
  expect(called).toEqual(['first', 'second']);
});

test('a tick throttle serves keys round robin, even if one key has many callbacks', async () => {
  const throttle = createTickThrottle(2);
  const called: string[] = [];
  for (let index = 0; index < 10; index += 1) throttle.schedule(() => called.push('busy'), 'busy');
  throttle.schedule(() => called.push('quiet'), 'quiet');
  await nextTick();
  expect(called).toEqual(['busy', 'quiet']);
});
