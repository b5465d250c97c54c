import { createPace } from './pace.js';

/** With 256 slots in all, of which so many are free. */
function pace(free: number, total = 256) {
  const state = { free: total, nowMs: 0 };
  const made = createPace({ slots: { freeAtWrite: () => state.free }, now: () => state.nowMs });
  return Object.assign(state, made, { free });
}

test('as many alerts are taken over as there are slots for their deliveries', () => {
  const p = pace(90);
  p.taken(10)(30);
  expect(p.room(1_000)).toBe(30);
});

test('slots are kept for alerts that are taken over and not planned yet, until they are', () => {
  const p = pace(200);
  const planned = p.taken(180);
  expect(p.room(1_000)).toBe(0);
  planned(180);
  planned(180);
  expect(p.room(1_000)).toBe(200);
});

test('few slots do for few alerts, and many alerts wait for more', () => {
  const p = pace(5);
  expect(p.room(3)).toBe(5);
  expect(p.room(1_000)).toBe(0);
  p.free = 64;
  expect(p.room(1_000)).toBe(64);
});

test('where there is one slot in all, one alert waits for it and is taken over', () => {
  const p = pace(1, 1);
  expect(p.room(50)).toBe(1);
  p.free = 0;
  expect(p.room(50)).toBe(0);
});

test('nobody waits for slots that do not become free', () => {
  const p = pace(0);
  expect(p.room(10)).toBe(0);
  p.nowMs = 51;
  expect(p.room(10)).toBe(10);
  expect(p.room(10)).toBe(0);
});

test('nor for long where they do so one by one', () => {
  const p = pace(0);
  for (; p.nowMs <= 250; p.nowMs += 10) {
    expect(p.room(1_000)).toBe(0);
    p.free += 1;
  }
  expect(p.room(1_000)).toBe(1_000);
});

test('nor where many wait', () => {
  expect(pace(0).room(30_000)).toBe(30_000);
});
