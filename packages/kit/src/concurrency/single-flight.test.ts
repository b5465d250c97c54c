import { createSingleFlight } from './single-flight.js';

test('concurrent calls with the same key share one run, and a later call starts a new run', async () => {
  const flights = createSingleFlight<number>();
  let runs = 0;
  const work = async () => {
    runs += 1;
    return runs;
  };
  expect(await Promise.all([flights.run('a', work), flights.run('a', work)])).toEqual([1, 1]);
  expect(await flights.run('a', work)).toBe(2);
  expect(await Promise.all([flights.run('a', work), flights.run('b', work)])).toEqual([3, 4]);
});

test('concurrent calls share the error of their run, and a later call succeeds', async () => {
  const flights = createSingleFlight<string>();
  const fail = () => Promise.reject(new Error('failed'));
  const results = await Promise.allSettled([flights.run('a', fail), flights.run('a', async () => 'other')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.run('a', async () => 'done')).toBe('done');
});
