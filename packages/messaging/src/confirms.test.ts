import { createConfirms } from './confirms.js';

function confirmsAt() {
  const clock = { ms: 0 };
  return { clock, confirms: createConfirms({ refuseAfterMs: 1_000, now: () => clock.ms }) };
}

test('a second after a message that is not confirmed nobody is let through, however often they ask', () => {
  const { clock, confirms } = confirmsAt();
  const admitted: number[] = [];
  for (; clock.ms < 25_000; clock.ms += 100) if (confirms.admit()) admitted.push(clock.ms);
  expect(admitted).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
});

test('whoever comes seldom does not wait for a broker that is known not to confirm', () => {
  const { clock, confirms } = confirmsAt();
  expect(confirms.admit()).toBe(true);
  clock.ms = 10_000;
  expect(confirms.admit()).toBe(false);
  clock.ms = 20_000;
  expect(confirms.admit()).toBe(false);
});

test('one late confirm lets everybody through again', () => {
  const { clock, confirms } = confirmsAt();
  confirms.admit();
  clock.ms = 4_000;
  expect(confirms.admit()).toBe(false);
  confirms.came();
  expect([confirms.admit(), confirms.admit()]).toEqual([true, true]);
});

test('confirms that are slow, but come, keep nobody out', () => {
  const { clock, confirms } = confirmsAt();
  for (let turn = 0; turn < 10; turn += 1) {
    expect(confirms.admit()).toBe(true);
    clock.ms += 900;
    confirms.came();
  }
});

test('a confirm that is lost for good keeps nobody out for ever', () => {
  const { clock, confirms } = confirmsAt();
  const admitted = new Set<number>();
  for (; clock.ms < 62_000; clock.ms += 100) if (confirms.admit()) admitted.add(Math.floor(clock.ms / 1_000));
  expect([...admitted]).toEqual([0, 30, 31, 60, 61]);
});
