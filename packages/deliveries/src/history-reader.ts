import { firstIdAt, lastIdAt, timeOfRecordId } from '@tocsin/database';
import type { Knex } from 'knex';

/** A range of history ids: `from` inclusive, `below` exclusive. */
export interface IdRange {
  from: string;
  below: string;
}

const dayMs = 86_400_000;
/**
 * A range of ids is read in parts, called slices, newest first. These numbers are the starts of all slices except the
 * last one, in days before the end of the range (or before the current time, if the end is in the future). The last
 * slice is the rest of the range.
 */
const daysBack = [1, 5, 21];

/**
 * Reads the newest `limit` rows of a range, newest first, slice by slice. The first slice covers about one day, and
 * later slices cover more days each. The time of a query grows with the number of daily partitions that it reads, and
 * for most pages the first slices contain enough rows.
 */
export async function readNewestFirst<Row>(
  { range, limit, nowMs }: { range: IdRange; limit: number; nowMs: number },
  readSlice: (slice: IdRange, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const slice of slicesOf(range, nowMs)) {
    rows.push(...(await readSlice(slice, limit - rows.length)));
    if (rows.length >= limit) break;
  }
  return rows;
}

/** Counts the rows of a range up to `max`. The range is read in the same slices as in `readNewestFirst`. */
export async function countNewestFirst(
  { range, max, nowMs }: { range: IdRange; max: number; nowMs: number },
  countSlice: (slice: IdRange, max: number) => Promise<number>,
): Promise<number> {
  let count = 0;
  for (const slice of slicesOf(range, nowMs)) {
    count += await countSlice(slice, max - count);
    if (count >= max) break;
  }
  return count;
}

/**
 * Divides a range of ids into adjacent ranges, the newest one first. Ids whose time is in the future belong to the
 * first range.
 */
function slicesOf({ from, below }: IdRange, nowMs: number): IdRange[] {
  const endMs = Math.min(nowMs, timeOfRecordId(below));
  const starts = daysBack.map((days) => firstIdAt(endMs - days * dayMs)).filter((id) => id > from);
  const bounds = [below, ...starts, from];
  return bounds.slice(1).map((start, index) => ({ from: start, below: bounds[index]! }));
}

/**
 * Returns the ranges of ids that the deliveries of these alerts can have. An id begins with the millisecond in which
 * its alert was accepted, so there is one range, inclusive at both ends, for each millisecond.
 */
export function deliveryRangesOf(alertRecordIds: readonly string[]): { first: string[]; last: string[] } {
  const times = [...new Set(alertRecordIds.map(timeOfRecordId))];
  return { first: times.map(firstIdAt), last: times.map(lastIdAt) };
}

/**
 * Narrows a range to the ids of one alert's deliveries. These ids begin with the millisecond in which the alert was
 * accepted. Resolves to undefined if the workspace has no such alert.
 */
export async function narrowToAlert(
  trx: Knex.Transaction,
  { workspaceId, alertId, range }: { workspaceId: string; alertId: string; range: IdRange },
): Promise<IdRange | undefined> {
  const { rows } = await trx.raw<{ rows: { accepted_at: Date }[] }>(
    'select accepted_at from alert_keys where workspace_id = :workspaceId and alert_id = :alertId',
    { workspaceId, alertId },
  );
  const acceptedMs = rows[0]?.accepted_at.getTime();
  if (acceptedMs === undefined) return undefined;
  return {
    from: [range.from, firstIdAt(acceptedMs)].sort()[1]!,
    below: [range.below, firstIdAt(acceptedMs + 1)].sort()[0]!,
  };
}
