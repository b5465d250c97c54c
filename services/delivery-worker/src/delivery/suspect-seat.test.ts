import { createSuspectSeat } from './suspect-seat.js';

test('one at a time, and the older the process, the more deaths it may have seen', () => {
  let nowMs = 5_000;
  const seat = createSuspectSeat({ leaseMs: 30_000, now: () => nowMs });
  const takeAt = (ageMs: number) => {
    nowMs = 5_000 + ageMs;
    return seat.take();
  };
  expect(takeAt(0)).toBe(2);
  expect(takeAt(29_999)).toBeUndefined();
  seat.giveBack();
  expect(takeAt(29_999)).toBe(2);
  seat.giveBack();
  expect(takeAt(30_000)).toBe(3);
  seat.giveBack();
  expect(takeAt(60_000)).toBe(4);
});
