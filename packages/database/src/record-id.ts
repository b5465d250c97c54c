import { hash as digest } from 'node:crypto';

/**
 * An id that begins with a time: 48 bits of Unix milliseconds, then 74 bits of a hash of `parts`, in the shape of a
 * UUID (version 8, RFC 9562 §5.8). The same time and parts give the same id, so writing twice is writing once.
 */
export function recordId(timeMs: number, parts: string): string {
  const hash = digest('sha256', parts);
  const time = hexTime(timeMs);
  const variant = ((Number.parseInt(hash[3]!, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** The time that an id begins with, in Unix milliseconds. */
export function timeOfRecordId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest id of a millisecond: every id made at or after `timeMs` is at or above it. */
export function firstIdAt(timeMs: number): string {
  const time = hexTime(timeMs);
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/**
 * An id that none of `ids`, nor of what was accepted together with them, is below. A statement that is told it passes
 * over the partitions of earlier days; without it each one opens those of the whole retention. There is no upper bound
 * beside it on purpose: within two, the planner takes the range of a table that is empty yet for a single row.
 */
export function firstIdOf(ids: readonly string[]): string {
  return firstIdAt(Math.min(...ids.map(timeOfRecordId)));
}

function hexTime(timeMs: number): string {
  return Math.max(0, Math.trunc(timeMs)).toString(16).padStart(12, '0');
}
