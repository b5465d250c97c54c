import { setImmediate as turn } from 'node:timers/promises';
import { createTurnstile } from './turnstile.js';

test('of many that come together so many pass in each turn of the event loop, in their order', async () => {
  const turnstile = createTurnstile(3);
  const passed: number[] = [];
  for (let index = 0; index < 8; index += 1) turnstile.pass(() => passed.push(index));
  const inTurns: number[] = [passed.length];
  while (passed.length < 8) {
    await turn();
    inTurns.push(passed.length);
  }
  expect(inTurns).toEqual([0, 3, 6, 8]);
  expect(passed).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('who comes later passes too', async () => {
  const turnstile = createTurnstile(1);
  const passed: string[] = [];
  turnstile.pass(() => passed.push('first'));
  await turn();
  await turn();
  turnstile.pass(() => passed.push('second'));
  await turn();
  expect(passed).toEqual(['first', 'second']);
});
