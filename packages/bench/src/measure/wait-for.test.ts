import { waitFor } from './wait-for.js';

const arrivals = { what: 'of 9 arrived', isReached: (count: number) => count === 9, everyMs: 1 };

test('goes on for as long as the count moves', async () => {
  let arrived = 0;
  const count = async () => {
    arrived += 1;
    return arrived;
  };
  await waitFor({ ...arrivals, count, stalledAfterMs: 5_000 });
  expect(arrived).toBe(9);
});

test('gives up where the count stands still, and says how far it came', async () => {
  const waiting = waitFor({ ...arrivals, count: async () => 8, stalledAfterMs: 20 });
  await expect(waiting).rejects.toThrow('Stalled: 8 of 9 arrived.');
});
