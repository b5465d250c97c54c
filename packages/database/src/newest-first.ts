import type { IdRange } from './alert-range-reader.js';
import { firstIdAt, timeOfRecordId } from './record-id.js';

const dayMs = 86_400_000;
/** Each window takes in four times the days of all before; after the last one comes all the rest. */
const daysBack = [1, 5, 21];

/**
 * The newest `limit` rows of a range of history, newest first: `read` is asked for ever longer windows of it, until there
 * are enough. A statement opens and plans the partitions of its window, and a full page mostly lies in the last days:
 * over the whole range each list would pay for every day of the retention.
 */
export async function newestFirst<Row>(
  { range, limit, nowMs }: { range: IdRange; limit: number; nowMs: number },
  read: (window: IdRange, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const window of windowsOf(range, nowMs)) {
    rows.push(...(await read(window, limit - rows.length)));
    if (rows.length >= limit) break;
  }
  return rows;
}

/** Without gap or overlap, from the range's end to its beginning. What is of a time to come is in the first. */
function windowsOf({ from, below }: IdRange, nowMs: number): IdRange[] {
  const endMs = Math.min(nowMs, timeOfRecordId(below));
  const starts = daysBack.map((days) => firstIdAt(endMs - days * dayMs)).filter((id) => id > from);
  const bounds = [below, ...starts, from];
  return bounds.slice(1).map((start, index) => ({ from: start, below: bounds[index]! }));
}
