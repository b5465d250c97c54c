import { hash as digest } from 'node:crypto';

/**
 * A UUID of version 8 (RFC 9562, section 5.8): 48 bits of Unix milliseconds, then 74 bits of a SHA-256 hash of `parts`.
 * Equal arguments give equal ids, so a repeated insert meets the existing row.
 */
export function recordId(timeMs: number, parts: string): string {
  const hash = digest('sha256', parts);
  const variant = variants[Number.parseInt(hash[3]!, 16) & 0x3];
  return `${timePart(timeMs)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** Hexadecimal digits with the upper bits `10`, the variant of RFC 9562. */
const variants = '89ab';

/** Unix milliseconds at the beginning of an id. */
export function timeOfRecordId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest id of a millisecond. Every id made at or after `timeMs` is at or above it. */
export function firstIdAt(timeMs: number): string {
  return `${timePart(timeMs)}-0000-0000-000000000000`;
}

/** The largest id of a millisecond. */
export function lastIdAt(timeMs: number): string {
  return `${timePart(timeMs)}-ffff-ffff-ffffffffffff`;
}

/**
 * A lower bound of `ids` and of all rows accepted in the same milliseconds. With `id >= firstIdOf(ids)` a statement skips
 * the partitions of earlier days; without it the statement opens the partitions of the whole retention. An upper bound is
 * missing on purpose: for a range with two bounds on an empty table the planner expects a single row.
 */
export function firstIdOf(ids: readonly string[]): string {
  let first = ids[0]!;
  for (const id of ids) if (id < first) first = id;
  return `${first.slice(0, 13)}-0000-0000-000000000000`;
}

let last = { timeMs: Number.NaN, part: '' };

/** The first 48 bits as text. The last result is cached, since rows of one batch have the same time. */
function timePart(timeMs: number): string {
  if (timeMs === last.timeMs) return last.part;
  const digits = Math.max(0, Math.trunc(timeMs)).toString(16).padStart(12, '0');
  last = { timeMs, part: `${digits.slice(0, 8)}-${digits.slice(8)}` };
  return last.part;
}
