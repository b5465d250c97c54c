import { alertIdOf, alertIdsOfRun, runAt, sequenceOf } from './alert-ids.js';

test('an id says its run and its number where the destination looks for them', () => {
  const id = alertIdOf(300, 70_000);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.slice(runAt.start, runAt.end), 16)).toBe(300);
  expect(sequenceOf(id)).toBe(70_000);
});

test('all of a run stand between its first and its last, and nothing of its neighbours does', () => {
  const { first, last } = alertIdsOfRun(7);
  expect(alertIdOf(7, 0) >= first && alertIdOf(7, 2 ** 40) <= last).toBe(true);
  expect(alertIdOf(6, 2 ** 40) < first && alertIdOf(8, 0) > last).toBe(true);
});
