import { waitFor } from './wait-for.js';

const arrivals = { description: 'of 9 arrived', isReached: (count: number) => count === 9, intervalMs: 1 };

test('waiting continues while the count changes', async () => {
  let arrived = 0;
  const count = async () => {
    arrived += 1;
    return arrived;
  };
  await waitFor({ ...arrivals, count, stallTimeoutMs: 5_000 });
  expect(arrived).toBe(9);
});

test('waiting fails if the count stops changing, and the error contains the count', async () => {
  const waiting = waitFor({ ...arrivals, count: async () => 8, stallTimeoutMs: 20 });
  await expect(waiting).rejects.toThrow('Stalled: 8 of 9 arrived.');
});
