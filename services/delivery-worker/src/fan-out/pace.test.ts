import { createPace } from './pace.js';

function pace(free: number) {
  const state = { free, nowMs: 0 };
  return Object.assign(state, createPace({ slots: { early: () => state.free }, now: () => state.nowMs }));
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
