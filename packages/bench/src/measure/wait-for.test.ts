import { waitFor } from './wait-for.js';

const arrivals = { description: 'of 9 arrived', isReached: (count: number) => count === 9, intervalMs: 1 };

test('waitFor polls a changing count and resolves when isReached returns true for it', async () => {
  let arrived = 0;
  const count = async () => {
    arrived += 1;
    return arrived;
  };
  await waitFor({ ...arrivals, count, stallTimeoutMs: 5_000 });
  expect(arrived).toBe(9);
});

test('waitFor throws an error with the count if the count stops changing', async () => {
  const waiting = waitFor({ ...arrivals, count: async () => 8, stallTimeoutMs: 20 });
  await expect(waiting).rejects.toThrow('Stalled: 8 of 9 arrived.');
});
