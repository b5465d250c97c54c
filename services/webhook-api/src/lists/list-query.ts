import type { IdRange } from '@tocsin/deliveries';
import type { Knex } from 'knex';

/** Restricts a query to the newest `limit` rows of a range of ids, newest first. For `modify` of a knex query. */
export function newestInRange(
  query: Knex.QueryBuilder,
  { column, range, limit }: { column: string; range: IdRange; limit: number },
): void {
  query.where(column, '>=', range.from).where(column, '<', range.below);
  query.orderBy(column, 'desc').limit(limit);
}

/** The filters that are set, for `where` of a knex query, which rejects undefined values. */
export function definedOnly(filters: object): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
