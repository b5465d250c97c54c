import type { IdRange } from '@tocsin/deliveries';
import type { Knex } from 'knex';

/** Restricts a query to a range of ids. For `modify` of a knex query. */
export function inRange(
  query: Knex.QueryBuilder,
  { column, range }: { column: string; range: IdRange },
): void {
  query.where(column, '>=', range.from).where(column, '<', range.below);
}

/** Restricts a query to the newest `limit` rows of a range of ids, newest first. For `modify` of a knex query. */
export function newestInRange(
  query: Knex.QueryBuilder,
  { column, range, limit }: { column: string; range: IdRange; limit: number },
): void {
  query.modify(inRange, { column, range }).orderBy(column, 'desc').limit(limit);
}

/** Counts the rows of a query, up to `max`. */
export async function countUpTo(knex: Knex, query: Knex.QueryBuilder, max: number): Promise<number> {
  const [row] = await knex.from(query.limit(max).as('matched')).count('* as count');
  return Number(row?.count);
}

/** The filters that are set, for `where` of a knex query, which rejects undefined values. */
export function definedOnly(filters: object): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
