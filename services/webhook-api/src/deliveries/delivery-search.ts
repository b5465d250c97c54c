import type { DeliveryErrorCode, DeliveryStatus } from '@tocsin/contracts';
import { firstIdAt, lastIdAt, type Transaction, timeOfRecordId } from '@tocsin/database';
import {
  countNewestFirst,
  deliveryRangesOf,
  type IdRange,
  narrowToAlert,
  readNewestFirst,
} from '@tocsin/deliveries';
import type { Knex } from 'knex';
import { type AlertFilter, findAlerts, matchAlerts } from '../alerts/alert-filter.js';
import { countUpTo, definedOnly, inRange, isOfLastDay } from '../lists/list-query.js';
import { isOpenStatus, type OpenStatus, openConditions } from './delivery-status.js';

interface DeliveryFilter extends Pick<AlertFilter, 'model_id' | 'label'> {
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  status?: DeliveryStatus | undefined;
  status_code?: number | undefined;
  error_code?: DeliveryErrorCode | undefined;
}

export interface DeliverySearch {
  workspaceId: string;
  range: IdRange;
  filter: DeliveryFilter;
}

interface Search extends DeliverySearch {
  trx: Transaction;
  /** Limits the next statement to the time that is left for the search. Await it between two statements. */
  beforeNext: () => Promise<void>;
}

/**
 * Returns true for a search that needs only one statement. The time range of the search begins within the last day, and
 * the search does not filter by an open state, label, model or alert. Deliveries in an open state are searched in
 * another table, and searches by label, model or alert read alerts first.
 */
export function isRecentSearch({ range, filter }: DeliverySearch): boolean {
  const { label, model_id, alert_id, status } = filter;
  const readsAlerts = label !== undefined || model_id !== undefined || alert_id !== undefined;
  return !readsAlerts && !isOpenStatus(status) && isOfLastDay(range);
}

/** Returns the ids of the newest `limit` deliveries that match the search, newest first. */
export async function findDeliveries(search: Search, limit: number): Promise<string[]> {
  const range = await rangeOf(search);
  if (range === undefined) return [];
  const readSlice = async (slice: IdRange, wanted: number) => {
    const ids: string[] = [];
    for (const { query, id } of await queriesIn(search, slice)) {
      const rows = await query
        .select(`${id} as id`)
        .orderBy(id, 'desc')
        .limit(wanted - ids.length);
      ids.push(...rows.map((row: { id: string }) => row.id));
      await search.beforeNext();
      if (ids.length >= wanted) break;
    }
    return ids;
  };
  if (isOpenStatus(search.filter.status)) return readSlice(range, limit);
  return readNewestFirst({ range, limit, nowMs: Date.now() }, readSlice);
}

/** Counts the deliveries that match the search, up to `max`. */
export async function countDeliveries(search: Search, max: number): Promise<number> {
  const range = await rangeOf(search);
  if (range === undefined) return 0;
  const countSlice = async (slice: IdRange, wanted: number) => {
    let count = 0;
    for (const { query, id } of await queriesIn(search, slice)) {
      count += await countUpTo(search.trx, query.select(id), wanted - count);
      await search.beforeNext();
      if (count >= wanted) break;
    }
    return count;
  };
  if (isOpenStatus(search.filter.status)) return countSlice(range, max);
  return countNewestFirst({ range, max, nowMs: Date.now() }, countSlice);
}

async function rangeOf({ trx, workspaceId, range, filter }: Search): Promise<IdRange | undefined> {
  const { alert_id: alertId } = filter;
  return alertId === undefined ? range : narrowToAlert(trx, { workspaceId, alertId, range });
}

/** A query of deliveries. `id` is its column with the delivery's id, and `alert` the one with the alert's record id. */
interface DeliveriesQuery {
  query: Knex.QueryBuilder;
  id: string;
  alert: string;
}

/**
 * Maximum number of alerts whose deliveries are looked up, at about 5 µs for each alert. Above this number, it is
 * faster to read the deliveries newest first and look up the alert of each.
 */
const maxAlerts = 5_000;

/**
 * Returns one or two queries. Their concatenated results are the deliveries that match, newest first. With a filter by
 * label or model, the first query looks up the deliveries of the newest alerts that match. The id of a delivery begins
 * with the millisecond in which its alert was accepted, so the ids of these deliveries are in known ranges.
 */
async function queriesIn(search: Search, range: IdRange): Promise<DeliveriesQuery[]> {
  const { model_id, label } = search.filter;
  if (model_id === undefined && label === undefined) return [matching(search, range)];
  const alerts = await findAlerts(
    { ...search, filter: { model_id, label }, range: alertRangeOf(range) },
    maxAlerts + 1,
  );
  if (alerts.length <= maxAlerts) return [ofAlerts(matching(search, range), search.trx, alerts)];
  // Not all matching alerts were read, so some alerts of the oldest millisecond can be missing. The second query
  // therefore reads the deliveries of that millisecond and of all earlier ones.
  const boundary = firstIdAt(timeOfRecordId(alerts.at(-1)!) + 1);
  const [newer, older] = [
    { ...range, from: boundary },
    // The range can end within the oldest millisecond, before the boundary. In this case, the query ends there too.
    { ...range, below: boundary < range.below ? boundary : range.below },
  ];
  return [
    ofAlerts(matching(search, newer), search.trx, alerts),
    withAlert(matching(search, older), search, older),
  ];
}

function matching(search: Search, range: IdRange): DeliveriesQuery {
  const { trx, workspaceId, filter } = search;
  const found = isOpenStatus(filter.status)
    ? findOpen(trx, workspaceId, { ...filter, status: filter.status })
    : findInHistory(trx, workspaceId, filter);
  found.query.modify(inRange, { column: found.id, range });
  return found;
}

/** Creates a query of open deliveries. Their table has no partitions, so one query covers all times. */
function findOpen(
  trx: Transaction,
  workspaceId: string,
  { status, webhook_id, ...filter }: DeliveryFilter & { status: OpenStatus },
): DeliveriesQuery {
  const query = trx('open_deliveries as o')
    .where({ 'o.workspace_id': workspaceId })
    .whereRaw(openConditions[status])
    .where(definedOnly({ 'o.webhook_id': webhook_id }));
  const conditions = historyConditions(filter);
  // Millions of deliveries can be waiting, so the history is joined only for a filter that needs it.
  if (Object.keys(conditions).length > 0)
    query.join('deliveries as d', 'd.id', 'o.delivery_id').where(conditions);
  return { query, id: 'o.delivery_id', alert: 'o.alert_record_id' };
}

function findInHistory(
  trx: Transaction,
  workspaceId: string,
  { status, ...filter }: DeliveryFilter,
): DeliveriesQuery {
  const query = trx('deliveries as d').where({ 'd.workspace_id': workspaceId, ...historyConditions(filter) });
  // Failed deliveries have an index on `failed_at`. With an additional condition on `status`, PostgreSQL estimates so
  // few rows that it reads and sorts all failed deliveries of the workspace.
  if (status === 'failed') query.whereNotNull('d.failed_at');
  else if (status !== undefined) query.where('d.status', status);
  return { query, id: 'd.id', alert: 'd.alert_record_id' };
}

function historyConditions({ webhook_id, alert_id, alert_rule_id, status_code, error_code }: DeliveryFilter) {
  return definedOnly({
    'd.webhook_id': webhook_id,
    'd.alert_id': alert_id,
    'd.alert_rule_id': alert_rule_id,
    'd.status_code': status_code,
    'd.error_code': error_code,
  });
}

/**
 * Restricts a query to the deliveries of these alerts. The ids of the deliveries are in one range for each millisecond
 * in which alerts were accepted. A subquery with an order by id forces PostgreSQL to read range by range.
 */
function ofAlerts(
  { query, id, alert }: DeliveriesQuery,
  trx: Transaction,
  alerts: string[],
): DeliveriesQuery {
  const { first, last } = deliveryRangesOf(alerts);
  const ofOne = query
    .select(`${id} as id`)
    .whereRaw(`${id} between accepted.first and accepted.last`)
    .whereRaw(`${alert} = any(?::uuid[])`, [alerts])
    .orderBy(id);
  const inRanges = trx.raw(
    'unnest(?::uuid[], ?::uuid[]) as accepted(first, last) cross join lateral ? as found',
    [first, last, ofOne],
  );
  return { query: trx.from(inRanges), id: 'found.id', alert };
}

/**
 * Restricts a query to deliveries whose alert matches. The condition is a scalar subquery, because PostgreSQL evaluates
 * it for each delivery and therefore reads deliveries in the order of their ids.
 */
function withAlert(found: DeliveriesQuery, { trx, filter }: Search, range: IdRange): DeliveriesQuery {
  const { model_id, label } = filter;
  const alert = trx('alerts as a')
    .select(trx.raw('true'))
    .whereRaw(`a.id = ${found.alert}`)
    .modify(inRange, { column: 'a.id', range: alertRangeOf(range) })
    .modify(matchAlerts, { model_id, label });
  found.query.whereRaw('?', [alert]);
  return found;
}

/**
 * Returns the range of ids of the alerts whose deliveries can be in a range of delivery ids. The ids of an alert and of
 * its deliveries have only the millisecond in common, so the first and the last millisecond are included completely.
 */
function alertRangeOf({ from, below }: IdRange): IdRange {
  return { from: firstIdAt(timeOfRecordId(from)), below: lastIdAt(timeOfRecordId(below)) };
}
