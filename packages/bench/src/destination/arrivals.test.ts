import { countArrival, createTally } from './arrivals.js';

test('an arrival that comes again is counted, and keeps the time of its first', () => {
  const tally = createTally({ run: 1, alerts: 2, webhooks: 3 });
  countArrival(tally, 4, 10);
  countArrival(tally, 4, 20);
  countArrival(tally, 0, 30);
  expect([...tally.counts]).toEqual([1, 0, 0, 0, 2, 0]);
  expect(tally).toMatchObject({ distinct: 2, requests: 3, lastArrivalMs: 30 });
  expect(tally.arrivedAtMs[4]).toBe(10);
});

test('a flood of one delivery does not wrap to "once"', () => {
  const tally = createTally({ run: 1, alerts: 1, webhooks: 1 });
  for (let index = 0; index < 257; index += 1) countArrival(tally, 0, index);
  expect(tally.counts[0]).toBe(255);
});

test('an arrival of nothing that was fired is a fault', () => {
  const tally = createTally({ run: 1, alerts: 1, webhooks: 1 });
  expect(() => countArrival(tally, 1, 0)).toThrow();
  expect(() => countArrival(tally, Number.NaN, 0)).toThrow();
});
