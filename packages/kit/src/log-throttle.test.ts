import { createLogThrottle } from './log-throttle.js';

test('a throttled event is logged at once, and then once in each interval with its count', () => {
  let nowMs = 0;
  const counts: number[] = [];
  const throttled = createLogThrottle({ everyMs: 60_000, now: () => nowMs });
  for (; nowMs <= 120_000; nowMs += 1_000) throttled((count) => counts.push(count));
  expect(counts).toEqual([1, 60, 60]);
});
