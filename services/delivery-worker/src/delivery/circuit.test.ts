import { circuitHoldMs, createCircuits } from './circuit.js';

test('five deliveries in a row open a circuit, one delivery’s own retries do not', () => {
  const circuits = createCircuits();
  expect([1, 2, 3, 4, 5, 6].map(() => circuits.failed('w', 'the same'))).toEqual(Array(6).fill(false));
  expect(['a', 'b', 'c'].map((id) => circuits.failed('w', id))).toEqual([false, false, false]);
  expect(circuits.failed('w', 'd')).toBe(true);
});

test('an answer in between starts the count anew, and webhooks are counted apart', () => {
  const circuits = createCircuits();
  for (const id of ['a', 'b', 'c', 'd']) circuits.failed('w', id);
  circuits.answered('w');
  expect(circuits.failed('w', 'e')).toBe(false);
  expect(circuits.failed('v', 'f')).toBe(false);
});

test('a circuit whose probes go on failing is held for longer, up to five minutes', () => {
  expect([1, 2, 3, 6, 20].map((times) => circuitHoldMs(times, 0.5))).toEqual([
    10_000, 20_000, 40_000, 300_000, 300_000,
  ]);
  expect(circuitHoldMs(1, 0)).toBe(8_000);
});
