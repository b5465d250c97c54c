import type { AlertOutcome } from '@tocsin/contracts';
import type { IdRange } from '@tocsin/deliveries';
import type { Knex } from 'knex';
import { definedOnly, inRange } from '../lists/list-query.js';

export interface AlertFilter {
  alert_rule_id?: string | undefined;
  outcome?: AlertOutcome | undefined;
  model_id?: string | undefined;
  /** Labels in the format `name:value`. An alert matches if it has all of them. */
  label?: readonly string[] | undefined;
}

export interface AlertSearch {
  trx: Knex.Transaction;
  workspaceId: string;
  filter: AlertFilter;
  /** Selects only alerts that the principal with this id published over REST. Undefined selects all alerts. */
  publishedBy?: string | undefined;
  range: IdRange;
  /** Limits the next statement to the time that is left for the search. Await it between two statements. */
  beforeNext: () => Promise<void>;
}

/** Maximum number of alerts that are read without an order and then sorted by this process. */
const maxUnordered = 5_000;

/**
 * Returns the record ids of the newest `limit` alerts that match the search, newest first. With an order and a limit,
 * PostgreSQL often does not use the index of labels, because this index is not ordered by time. PostgreSQL then reads
 * all alerts, newest first, until enough of them have the label, which takes seconds for a rare label. A search by
 * label therefore starts with a statement without an order. If this statement finds at most 5,000 alerts, they are
 * sorted by this process, and no statement with an order is needed.
 */
export async function findAlerts(search: AlertSearch, limit: number): Promise<string[]> {
  const matching = () => findMatching(search).select('a.id');
  if (search.filter.label !== undefined) {
    const some = idsOf(await matching().limit(maxUnordered + 1));
    await search.beforeNext();
    if (some.length <= maxUnordered) return some.sort().reverse().slice(0, limit);
  }
  const ids = idsOf(await matching().orderBy('a.id', 'desc').limit(limit));
  await search.beforeNext();
  return ids;
}

/** Creates a query of the alerts that match a search, without columns, order and limit. */
export function findMatching({
  trx,
  workspaceId,
  filter,
  publishedBy,
  range,
}: Omit<AlertSearch, 'beforeNext'>): Knex.QueryBuilder {
  return trx('alerts as a')
    .where(definedOnly({ 'a.workspace_id': workspaceId, 'a.published_by': publishedBy }))
    .modify(matchAlerts, filter)
    .modify(inRange, { column: 'a.id', range });
}

function idsOf(rows: { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Adds the conditions of a filter to a query of the table `alerts as a`. Used with `modify` of knex. */
export function matchAlerts(query: Knex.QueryBuilder, filter: AlertFilter): void {
  const { label: labels = [], alert_rule_id, outcome, model_id } = filter;
  query.where(
    definedOnly({ 'a.alert_rule_id': alert_rule_id, 'a.outcome': outcome, 'a.model_id': model_id }),
  );
  // PostgreSQL uses the index alerts_labels only if the expression and the condition on null equal those of the index.
  for (const label of labels)
    query.whereNotNull('a.labels').whereRaw('a.labels::jsonb @> ?::jsonb', [toObject(label)]);
}

/** Splits a label at its first colon, because the name of a label contains no colon. */
function toObject(label: string): string {
  const colon = label.indexOf(':');
  return JSON.stringify(Object.fromEntries([[label.slice(0, colon), label.slice(colon + 1)]]));
}
