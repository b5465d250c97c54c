import { createAdmissionControl } from './admission-control.js';

function start({ free = 400 } = {}) {
  const state = { free, nowMs: 0 };
  const control = createAdmissionControl({
    slots: { freeAtWrite: () => state.free },
    now: () => state.nowMs,
  });
  return { state, control };
}

test('the number of admitted alerts is the number of free slots divided by deliveries per alert', () => {
  const { state, control } = start();
  expect(control.maxNextBatch(1_000)).toBe(400);
  control.reserve(2)({ written: 8, open: 8 });
  state.free = 200;
  expect(control.maxNextBatch(1_000)).toBe(50);
  state.free = 250;
  expect(control.maxNextBatch(1_000)).toBe(63);
});

test('an average below one delivery per alert counts as one delivery per alert', () => {
  const { state, control } = start();
  control.reserve(100)({ written: 50, open: 50 });
  expect(control.maxNextBatch(15_000)).toBe(400);
  control.reserve(100)({ written: 0, open: 0 });
  state.free = 0;
  expect(control.maxNextBatch(30_000)).toBe(1_000);
});

test('a single alert is admitted at once while a slot is free', () => {
  const { state, control } = start();
  state.free = 1;
  expect(control.maxNextBatch(1)).toBe(1);
});

test('alerts wait until half of the slots for claims at write are free', () => {
  const { state, control } = start();
  state.free = 199;
  expect(control.maxNextBatch(1_000)).toBe(0);
  state.nowMs = 20;
  state.free = 200;
  expect(control.maxNextBatch(1_000)).toBe(200);
});

test('each batch of alerts waits at most 100 ms for slots', () => {
  const { state, control } = start();
  state.free = 0;
  expect(control.maxNextBatch(7)).toBe(0);
  state.nowMs = 99;
  expect(control.maxNextBatch(7)).toBe(0);
  state.nowMs = 100;
  expect(control.maxNextBatch(7)).toBe(7);
  expect(control.maxNextBatch(7)).toBe(0);
});

test('slots are reserved for a batch until its deliveries are planned', () => {
  const { control } = start();
  const onPlanned = control.reserve(201);
  expect(control.maxNextBatch(1_000)).toBe(0);
  onPlanned({ written: 201, open: 201 });
  onPlanned({ written: 9_000, open: 9_000 });
  expect(control.maxNextBatch(1_000)).toBe(400);
});

test('alerts are admitted without free slots as soon as 30,000 alerts are waiting', () => {
  const { state, control } = start();
  state.free = 0;
  expect(control.maxNextBatch(29_999)).toBe(0);
  expect(control.maxNextBatch(30_000)).toBe(1_000);
});

test('a worker with one slot admits a batch when this slot is free', () => {
  const { state, control } = start({ free: 1 });
  state.free = 0;
  expect(control.maxNextBatch(100)).toBe(0);
  state.free = 1;
  expect(control.maxNextBatch(100)).toBe(1);
});

test('a batch has about 1,000 deliveries at most, including those that are written as failed', () => {
  const { control } = start();
  control.reserve(100)({ written: 2_000, open: 0 });
  expect(control.maxNextBatch(15_000)).toBe(50);
  control.reserve(50)({ written: 150, open: 50 });
  expect(control.maxNextBatch(15_000)).toBe(334);
  control.reserve(50)({ written: 50, open: 50 });
  expect(control.maxNextBatch(15_000)).toBe(400);
});
