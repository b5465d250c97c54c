import { timeOfRecordId } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import type { Knex } from 'knex';

/** Restricts a query to a range of ids. Used with `modify` of knex. */
export function inRange(
  query: Knex.QueryBuilder,
  { column, range }: { column: string; range: IdRange },
): void {
  query.where(column, '>=', range.from).where(column, '<', range.below);
}

/** Restricts a query to the newest `limit` rows in a range of ids, newest first. Used with `modify` of knex. */
export function newestInRange(
  query: Knex.QueryBuilder,
  { column, range, limit }: { column: string; range: IdRange; limit: number },
): void {
  query.modify(inRange, { column, range }).orderBy(column, 'desc').limit(limit);
}

const dayMs = 86_400_000;

/** Returns true for a range that begins within the last day. */
export function isOfLastDay({ from }: IdRange): boolean {
  return timeOfRecordId(from) >= Date.now() - dayMs;
}

/** Counts the rows of a query, up to `max`. */
export async function countUpTo(knex: Knex, query: Knex.QueryBuilder, max: number): Promise<number> {
  const [row] = await knex.from(query.limit(max).as('matched')).count('* as count');
  return Number(row?.count);
}

/** Returns the filters that have a value, because `where` of knex rejects undefined values. */
export function definedOnly(filters: object): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
