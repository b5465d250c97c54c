import { hash as digest } from 'node:crypto';

/**
 * Returns a UUID of version 8 (RFC 9562, section 5.8): 48 bits of Unix milliseconds, then 74 bits of a SHA-256 hash of
 * `parts`. Equal arguments give equal ids, so a repeated insert conflicts with the existing row.
 */
export function recordId(timeMs: number, parts: string): string {
  const hash = digest('sha256', parts);
  const variant = variants[Number.parseInt(hash[3]!, 16) & 0x3];
  return `${timePart(timeMs)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** Hexadecimal digits whose upper bits are `10`, the variant of RFC 9562. */
const variants = '89ab';

/** Returns the Unix milliseconds in the first 48 bits of an id. */
export function timeOfRecordId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * Returns the UTC day of an id, as the number of days since 1970. The row with the id is in the partition of this day.
 */
export function dayOfRecordId(id: string): number {
  return Math.floor(timeOfRecordId(id) / 86_400_000);
}

/** The lowest UUID: the bound of a search that starts with the first id. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** The highest UUID: the bound of a search that ends with the last id. */
export const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns the smallest id of the millisecond `timeMs`. Ids of later milliseconds are greater. */
export function firstIdAt(timeMs: number): string {
  return `${timePart(timeMs)}-0000-0000-000000000000`;
}

/** Returns SQL for the result of `firstIdAt`. `timeMs` is SQL for a time in Unix milliseconds, without a fraction. */
export function firstIdSql(timeMs: string): string {
  return `cast(rpad(lpad(to_hex(cast(${timeMs} as bigint)), 12, '0'), 32, '0') as uuid)`;
}

/** Returns the greatest id of the millisecond `timeMs`. */
export function lastIdAt(timeMs: number): string {
  return `${timePart(timeMs)}-ffff-ffff-ffffffffffff`;
}

/**
 * Returns a lower bound of `ids`: the first id of their earliest millisecond. A statement with `id >= firstIdOf(ids)`
 * skips the partitions of earlier days. Without this condition, it opens all partitions. An upper bound is deliberately
 * omitted: if the table was empty when it was analysed, the planner expects a single row between two bounds, and
 * chooses a plan that reads the whole range for each id.
 */
export function firstIdOf(ids: readonly string[]): string {
  let first = ids[0]!;
  for (const id of ids) if (id < first) first = id;
  return `${first.slice(0, 13)}-0000-0000-000000000000`;
}

let last = { timeMs: Number.NaN, part: '' };

/**
 * Returns the first 48 bits of an id as text. The last result is cached, because the rows of a batch usually have the
 * same time.
 */
function timePart(timeMs: number): string {
  if (timeMs === last.timeMs) return last.part;
  const digits = Math.max(0, Math.trunc(timeMs)).toString(16).padStart(12, '0');
  last = { timeMs, part: `${digits.slice(0, 8)}-${digits.slice(8)}` };
  return last.part;
}
