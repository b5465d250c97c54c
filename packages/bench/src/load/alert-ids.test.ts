import { alertIdOf, alertIdsOfRun, runAt, sequenceOf } from './alert-ids.js';

test('an alert id contains the number of its run and its sequence number at fixed positions', () => {
  const id = alertIdOf(300, 70_000);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.slice(runAt.start, runAt.end), 16)).toBe(300);
  expect(sequenceOf(id)).toBe(70_000);
});

test('the id bounds of a run include all ids of that run and none of other runs', () => {
  const { first, last } = alertIdsOfRun(7);
  expect(alertIdOf(7, 0) >= first && alertIdOf(7, 2 ** 40) <= last).toBe(true);
  expect(alertIdOf(6, 2 ** 40) < first && alertIdOf(8, 0) > last).toBe(true);
});
