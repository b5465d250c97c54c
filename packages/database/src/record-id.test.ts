import { dayOfRecordId, firstIdAt, firstIdOf, lastIdAt, recordId, timeOfRecordId } from './record-id.js';

/**
 * Expected ids are constants, because `recordId` must never return other ids: stored rows are found by computing their
 * ids again.
 */
const known: [timeMs: number, parts: string, id: string][] = [
  [0, '', '00000000-0000-8e3b-8c44-298fc1c149af'],
  [0, '0', '00000000-0000-85fe-8eb6-6ffc86f38d95'],
  [0, '1', '00000000-0000-86b8-ab27-3ff34fce19d6'],
  [0, '2', '00000000-0000-8d47-b5e3-a265e16eee03'],
  [0, '5', '00000000-0000-8ef2-9127-de37b942baad'],
  [1_784_930_400_123, 'a/b', '019f9624-777b-8c14-8ddc-033f64b9dea8'],
  [1_784_930_400_123, 'a/c', '019f9624-777b-8245-86ae-9e14fc882f91'],
  [1_784_930_400_123.9, 'a/d', '019f9624-777b-886b-a93f-efb8240923e7'],
  [-5, 'a/e', '00000000-0000-8e69-9bda-caf3da4bb147'],
  [2 ** 48 - 1, '0b0d/é', 'ffffffff-ffff-82c9-a30e-9a4a67673bcb'],
];

test('recordId returns the same id whenever it gets the same time and the same text to hash', () => {
  for (const [timeMs, parts, id] of [...known, ...known.toReversed()])
    expect(recordId(timeMs, parts)).toBe(id);
});

test('a record id contains the time that it was created for, in whole milliseconds', () => {
  for (const [timeMs, , id] of known) expect(timeOfRecordId(id)).toBe(Math.max(0, Math.trunc(timeMs)));
});

test('the first id of a millisecond is not larger than any other id of that millisecond', () => {
  expect(firstIdAt(1_784_930_400_123)).toBe('019f9624-777b-0000-0000-000000000000');
  for (const [timeMs, , id] of known) expect(firstIdAt(timeMs) <= id).toBe(true);
});

test('firstIdOf returns the lowest id of the millisecond of the earliest of the given ids', () => {
  const at = (timeMs: number) => recordId(timeMs, String(timeMs));
  expect(firstIdOf([at(70_000), at(65_536), at(65_537)])).toBe(firstIdAt(65_536));
  expect(firstIdOf([at(1_784_930_400_123)])).toBe(firstIdAt(1_784_930_400_123));
});

test('the last id of a millisecond is not smaller than any other id of that millisecond', () => {
  expect(lastIdAt(1_784_930_400_123)).toBe('019f9624-777b-ffff-ffff-ffffffffffff');
  for (const [timeMs, , id] of known) expect(lastIdAt(timeMs) >= id).toBe(true);
});

test('the day of an id changes at midnight in UTC', () => {
  const midnightMs = Date.UTC(2026, 2, 1);
  const day = midnightMs / 86_400_000;
  const days = [midnightMs - 1, midnightMs, midnightMs + 86_399_999, midnightMs + 86_400_000].map((timeMs) =>
    dayOfRecordId(recordId(timeMs, 'x')),
  );
  expect(days).toEqual([day - 1, day, day, day + 1]);
});
