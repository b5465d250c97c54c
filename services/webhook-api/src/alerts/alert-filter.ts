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
  /** Selects only alerts that this principal published over REST. Undefined selects all alerts. */
  publishedBy?: string | undefined;
  window: IdRange;
  /** Limits the next statement to the time that is left for the search. Must be awaited between two statements. */
  beforeNext: () => Promise<void>;
}

/** Maximum number of alerts that are read without an order and then sorted here. */
const maxUnordered = 5_000;

/**
 * Returns the record ids of the newest `limit` alerts that match, newest first. The index of labels is not ordered by
 * time. For a statement with an order and a limit, PostgreSQL therefore often reads all alerts, newest first, until
 * enough have the label, which takes seconds for a rare label. The first statement has no order, so that it uses the
 * index. If it finds few alerts, they are sorted here and the second statement is not needed.
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

/** Creates a query of the alerts that match. */
export function findMatching({
  trx,
  workspaceId,
  filter,
  publishedBy,
  window,
}: Omit<AlertSearch, 'beforeNext'>): Knex.QueryBuilder {
  return trx('alerts as a')
    .where(definedOnly({ 'a.workspace_id': workspaceId, 'a.published_by': publishedBy }))
    .modify(matchAlerts, filter)
    .modify(inRange, { column: 'a.id', range: window });
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
  // The expression and the condition on null must equal those of the index alerts_labels, otherwise PostgreSQL does not
  // use it.
  for (const label of labels)
    query.whereNotNull('a.labels').whereRaw('a.labels::jsonb @> ?::jsonb', [toObject(label)]);
}

/** Splits at the first colon, because a label name contains none. */
function toObject(label: string): string {
  const colon = label.indexOf(':');
  return JSON.stringify(Object.fromEntries([[label.slice(0, colon), label.slice(colon + 1)]]));
}
