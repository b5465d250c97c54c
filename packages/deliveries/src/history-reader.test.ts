import { firstIdAt, lastIdAt, recordId } from '@tocsin/database';
import fc from 'fast-check';
import type { Knex } from 'knex';
import {
  countNewestFirst,
  deliveryRangesOf,
  type IdRange,
  narrowToAlert,
  readNewestFirst,
} from './history-reader.js';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 31);
const always: IdRange = { from: firstIdAt(0), below: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
const idAt = (daysAgo: number, name: string | number) => recordId(nowMs - daysAgo * dayMs, String(name));

/** Reads a history that consists of the given ids. Returns the rows and the slices that were read. */
async function readFrom(history: string[], { range = always, limit }: { range?: IdRange; limit: number }) {
  const slices: IdRange[] = [];
  const ids = await readNewestFirst({ range, limit, nowMs }, async (slice, count) => {
    slices.push(slice);
    return within(history, slice).slice(0, count);
  });
  return { ids, slices };
}

const within = (history: string[], { from, below }: IdRange) =>
  history
    .filter((id) => id >= from && id < below)
    .sort()
    .reverse();

test('reading a history in several slices returns the same rows as one read', async () => {
  // Ids are from two months ago to one day ahead, because the clock of the writer may be ahead of the reader's.
  const daysAgo = fc.integer({ min: -24, max: 60 * 24 }).map((hours) => hours / 24);
  const bound = fc.oneof(fc.constant(undefined), daysAgo);
  await fc.assert(
    fc.asyncProperty(
      fc.array(daysAgo, { maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 40 }),
      bound,
      bound,
      async (days, limit, since, until) => {
        const history = days.map(idAt);
        const range = {
          from: since === undefined ? always.from : idAt(since, 'since'),
          below: until === undefined ? always.below : idAt(until, 'until'),
        };
        const { ids, slices } = await readFrom(history, { range, limit });
        expect(ids).toEqual(within(history, range).slice(0, limit));
        expect(slices.length).toBeLessThanOrEqual(4);
      },
    ),
  );
});

test('a read of new or old days ends after its first slice if this slice has enough rows', async () => {
  const history = Array.from({ length: 20 }, (_, index) => idAt(index / 100, index));
  const first = await readFrom(history, { limit: 20 });
  expect(first.slices).toEqual([{ from: firstIdAt(nowMs - dayMs), below: always.below }]);
  const longAgo = Array.from({ length: 20 }, (_, index) => idAt(40 + index / 100, index));
  const below = firstIdAt(nowMs - 40 * dayMs + 1);
  const later = await readFrom(longAgo, { range: { ...always, below }, limit: 20 });
  expect(later.ids).toHaveLength(20);
  expect(later.slices).toHaveLength(1);
});

test('the slices of a range begin 1, 5 and 21 days before its end, and at its start', async () => {
  const { slices } = await readFrom([], { limit: 5 });
  const starts = [1, 5, 21].map((days) => firstIdAt(nowMs - days * dayMs));
  const [first = '', second = '', third = ''] = starts;
  expect(slices).toEqual([
    { from: first, below: always.below },
    { from: second, below: first },
    { from: third, below: second },
    { from: always.from, below: third },
  ]);
});

test('a range that is shorter than a day is read in one slice', async () => {
  const range = { from: firstIdAt(nowMs - 5_000), below: firstIdAt(nowMs - 4_000) };
  expect((await readFrom([], { range, limit: 5 })).slices).toEqual([range]);
});

test('a range of exactly one day is read in one slice', async () => {
  const range = { ...always, from: firstIdAt(nowMs - dayMs), below: firstIdAt(nowMs) };
  expect((await readFrom([], { range, limit: 5 })).slices).toEqual([range]);
});

test('a count reads older slices until it reaches the maximum or the start of its range', async () => {
  const history = [0.5, 2, 3, 10, 40].map(idAt);
  const countFrom = async (max: number) => {
    const wanted: number[] = [];
    const count = await countNewestFirst({ range: always, max, nowMs }, async (slice, left) => {
      wanted.push(left);
      return Math.min(left, within(history, slice).length);
    });
    return { count, wanted };
  };
  expect(await countFrom(9)).toEqual({ count: 5, wanted: [9, 8, 6, 5] });
  expect(await countFrom(3)).toEqual({ count: 3, wanted: [3, 2] });
});

test('deliveryRangesOf returns one id range for each millisecond in which alerts were accepted', () => {
  const ids = [recordId(1_000, 'a'), recordId(2_000, 'b'), recordId(1_000, 'c')];
  expect(deliveryRangesOf(ids)).toEqual({
    first: [firstIdAt(1_000), firstIdAt(2_000)],
    last: [lastIdAt(1_000), lastIdAt(2_000)],
  });
});

describe('narrowing a range of ids to the deliveries of one alert', () => {
  const acceptedMs = nowMs - dayMs;
  const narrow = (range: IdRange, rows = [{ accepted_at: new Date(acceptedMs) }]) => {
    const statements: unknown[] = [];
    const trx = {
      async raw(...statement: unknown[]) {
        statements.push(statement);
        return { rows };
      },
    };
    const alert = { workspaceId: 'w', alertId: 'a', range };
    return narrowToAlert(trx as unknown as Knex.Transaction, alert).then((found) => ({ found, statements }));
  };

  test('a range of delivery ids is narrowed to the millisecond in which the alert was accepted', async () => {
    const { found, statements } = await narrow(always);
    expect(found).toEqual({ from: firstIdAt(acceptedMs), below: firstIdAt(acceptedMs + 1) });
    const keys =
      'select accepted_at from alert_keys where workspace_id = :workspaceId and alert_id = :alertId';
    expect(statements).toEqual([[keys, { workspaceId: 'w', alertId: 'a' }]]);
  });

  test('narrowing to an alert keeps range bounds that are in the millisecond of its acceptance', async () => {
    const [from, below] = [recordId(acceptedMs, 'a'), recordId(acceptedMs, 'b')].sort() as [string, string];
    expect((await narrow({ from, below })).found).toEqual({ from, below });
  });

  test('narrowing a range of ids to an alert that was never accepted returns undefined', async () => {
    expect((await narrow(always, [])).found).toBeUndefined();
  });
});
