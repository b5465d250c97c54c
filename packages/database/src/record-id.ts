import { hash as digest } from 'node:crypto';

/**
 * An id that begins with a time: 48 bits of Unix milliseconds, then 74 bits of a hash of `parts`, in the shape of a
 * UUID (version 8, RFC 9562 §5.8). The same time and parts give the same id, so writing twice is writing once.
 */
export function recordId(timeMs: number, parts: string): string {
  const hash = digest('sha256', parts);
  const variant = variants[Number.parseInt(hash[3]!, 16) & 0x3];
  return `${timePart(timeMs)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** The digits whose upper two bits say that it is a UUID of RFC 9562. */
const variants = '89ab';

/** The time that an id begins with, in Unix milliseconds. */
export function timeOfRecordId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest id of a millisecond: every id made at or after `timeMs` is at or above it. */
export function firstIdAt(timeMs: number): string {
  return `${timePart(timeMs)}-0000-0000-000000000000`;
}

/**
 * An id that none of `ids`, nor of what was accepted together with them, is below. A statement that is told it passes
 * over the partitions of earlier days; without it each one opens those of the whole retention. There is no upper bound
 * beside it on purpose: within two, the planner takes the range of a table that is empty yet for a single row.
 */
export function firstIdOf(ids: readonly string[]): string {
  let first = ids[0]!;
  for (const id of ids) if (id < first) first = id;
  return `${first.slice(0, 13)}-0000-0000-000000000000`;
}

let last = { timeMs: Number.NaN, part: '' };

/** The first 48 bits. Kept for the next call: what is written together has one time. */
function timePart(timeMs: number): string {
  if (timeMs === last.timeMs) return last.part;
  const digits = Math.max(0, Math.trunc(timeMs)).toString(16).padStart(12, '0');
  last = { timeMs, part: `${digits.slice(0, 8)}-${digits.slice(8)}` };
  return last.part;
}
