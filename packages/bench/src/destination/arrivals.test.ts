import { countArrival, createArrivals } from './arrivals.js';

test('a repeated request is counted, and the time of the first request is kept', () => {
  const arrivals = createArrivals({ run: 1, alerts: 2, webhooks: 3 });
  countArrival(arrivals, 4, 10);
  countArrival(arrivals, 4, 20);
  countArrival(arrivals, 0, 30);
  expect([...arrivals.received]).toEqual([1, 0, 0, 0, 2, 0]);
  expect(arrivals).toMatchObject({ distinct: 2, requests: 3 });
  expect(arrivals.firstArrivalMs[4]).toBe(10);
});

test('the request count of a delivery stops at 255 instead of wrapping to zero', () => {
  const arrivals = createArrivals({ run: 1, alerts: 1, webhooks: 1 });
  for (let index = 0; index < 257; index += 1) countArrival(arrivals, 0, index);
  expect(arrivals.received[0]).toBe(255);
});

test('counting a request throws an error if its alert or webhook is not part of the run', () => {
  const arrivals = createArrivals({ run: 1, alerts: 1, webhooks: 1 });
  expect(() => countArrival(arrivals, 1, 0)).toThrow('no delivery 1');
  expect(() => countArrival(arrivals, Number.NaN, 0)).toThrow('no delivery');
});
