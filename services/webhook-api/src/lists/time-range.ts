import { firstIdAt } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';

const time = { type: 'string', format: 'date-time' } as const;

/** Members of a history's query: spread them into `properties`. */
export const timeRangeQuery = {
  since: { ...time, description: 'Only what was accepted at this time or later.' },
  until: { ...time, description: 'Only what was accepted before this time.' },
} as const;

/** History ids begin with the time of acceptance: a time range and a keyset position are both bounds of ids. */
export function idRange(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  position: string[] | undefined,
): IdRange {
  const from = firstIdAt(since === undefined ? 0 : Date.parse(since));
  const end = until === undefined ? lastId : firstIdAt(Date.parse(until));
  const after = position?.[0];
  return { from, below: after !== undefined && after < end ? after : end };
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
