import type { Alert, AlertOutcome, AlertState, Bound, Suppression } from '@tocsin/contracts';
import { type Database, firstIdOf, readWithTimeout } from '@tocsin/database';
import { alertRecordId, countNewestFirst, type IdRange, readNewestFirst } from '@tocsin/deliveries';
import type { NoticeFacts } from '@tocsin/template';
import { countUpTo, isOfLastDay } from '../lists/list-query.js';
import { maxPageBytes } from '../lists/paging.js';
import { searchTimeoutMs } from '../lists/read-limiter.js';
import { type AlertFilter, findAlerts, findMatching } from './alert-filter.js';

export interface StoredAlert {
  /** Id of the row. It starts with the time of acceptance. */
  recordId: string;
  workspaceId: string;
  alertId: string;
  /** Id (`publisherId`) of the principal that published the alert over REST; null for other alerts. */
  publishedBy: string | null;
  acceptedAt: Date;
  /** Time of firing in UTC, as text with all digits that the monitor sent. A `Date` keeps only milliseconds. */
  firedAt: string;
  alertRuleId: string;
  alertRuleName: string;
  modelId: string;
  modelName: string;
  metricValue: number;
  threshold: number;
  bound: Bound;
  state: AlertState;
  labels: Record<string, string> | null;
  annotations: Record<string, string> | null;
  isTest: boolean;
  outcome: AlertOutcome;
  suppressedBy: Suppression | null;
  /** Id of the alert that started the cooldown; null if no cooldown suppressed this alert. */
  suppressedByAlert: string | null;
  /**
   * Ids of the webhooks that a dispatch by hand uses if the rule is not registered. They are stored for alerts with the
   * outcome `over_quota`, and for alerts of an unregistered rule that is disabled. Null for other alerts.
   */
  webhookIds: string[] | null;
  dispatchedAt: Date | null;
  dispatchedBy: string | null;
  /** Values of the notice if the alert is a notice; null for other alerts. */
  notice: NoticeFacts | null;
  /** Number of the alert's deliveries in each state. All states before the end are counted together as `open`. */
  summary: Alert['summary'];
}

interface AlertQuery {
  workspaceId: string;
  range: IdRange;
  filter: AlertFilter;
  /** Selects only alerts that the principal with this id published over REST. Undefined selects all alerts. */
  publishedBy?: string | undefined;
}

/** An alert in a list. */
interface ListedAlert extends StoredAlert {
  /** True for each alert above the byte limit of the page. The next page starts with the first of these alerts. */
  beyondBudget: boolean;
}

export interface AlertsReader {
  /**
   * Lists alerts, newest first. The labels and annotations of a page have at most 4 MiB; alerts above this limit are
   * marked `beyondBudget`.
   */
  list(query: AlertQuery & { limit: number }): Promise<ListedAlert[]>;
  /** Counts alerts, up to `max`. */
  count(query: AlertQuery, max: number): Promise<number>;
  find(workspaceId: string, alertId: string): Promise<StoredAlert | undefined>;
}

export function createAlertsReader(database: Database): AlertsReader {
  return {
    async list({ limit, ...query }) {
      // Each browser tab with the list of alerts searches the last day every 10 s. A search of the last day runs only
      // one statement, to save round trips to the database. A search by label needs several statements.
      if (isOfLastDay(query.range) && query.filter.label === undefined)
        return withinBudget(await readRecentPage(database, query, limit));
      return readWithTimeout(database, searchTimeoutMs, async (trx, beforeNext) => {
        const { range, ...search } = query;
        const ids = await readNewestFirst({ range, limit, nowMs: Date.now() }, (slice, count) =>
          findAlerts({ ...search, trx, range: slice, beforeNext }, count),
        );
        if (ids.length === 0) return [];
        const { rows } = await trx.raw<{ rows: StoredAlert[] }>(pageByIds, { ids, first: firstIdOf(ids) });
        return withinBudget(rows);
      });
    },

    count: ({ range, ...query }, max) =>
      readWithTimeout(database, searchTimeoutMs, (trx, beforeNext) =>
        countNewestFirst({ range, max, nowMs: Date.now() }, async (slice, left) => {
          const count = await countUpTo(
            trx,
            findMatching({ ...query, trx, range: slice }).select('a.id'),
            left,
          );
          await beforeNext();
          return count;
        }),
      ),

    async find(workspaceId, alertId) {
      const [key] = await database.prepared<{ acceptedAt: Date }>(findKey, [workspaceId, alertId]);
      if (key === undefined) return undefined;
      const id = alertRecordId(key.acceptedAt.getTime(), { workspace_id: workspaceId, alert_id: alertId });
      const [alert] = await database.prepared<StoredAlert>(findByIds, [[id], firstIdOf([id])]);
      return alert;
    },
  };
}

async function readRecentPage(
  database: Database,
  { workspaceId, range, filter, publishedBy }: AlertQuery,
  limit: number,
): Promise<StoredAlert[]> {
  const { alert_rule_id, outcome, model_id } = filter;
  return database.planned<StoredAlert>(readRecent, [
    workspaceId,
    range.from,
    range.below,
    limit,
    publishedBy ?? null,
    alert_rule_id ?? null,
    outcome ?? null,
    model_id ?? null,
  ]);
}

function withinBudget(alerts: StoredAlert[]): ListedAlert[] {
  let total = 0;
  return alerts.map((alert, index) => {
    for (const entries of [alert.labels, alert.annotations]) {
      if (entries !== null) total += Buffer.byteLength(JSON.stringify(entries));
    }
    return { ...alert, beyondBudget: index > 0 && total > maxPageBytes };
  });
}

const columns = `id as "recordId", workspace_id as "workspaceId", alert_id as "alertId", published_by as "publishedBy",
  accepted_at as "acceptedAt",
  fired_at as "firedAt", alert_rule_id as "alertRuleId", alert_rule_name as "alertRuleName", model_id as "modelId",
  model_name as "modelName", metric_value as "metricValue", threshold, bound, state, labels, annotations,
  is_test as "isTest", outcome, suppressed_by as "suppressedBy", suppressed_by_alert as "suppressedByAlert",
  webhook_ids::text[] as "webhookIds", dispatched_at as "dispatchedAt", dispatched_by as "dispatchedBy", notice`;

interface PageSql {
  /** SQL query of the record ids of the alerts of a page. */
  ids: string;
  /** SQL expression for a lower bound of the ids, so that PostgreSQL can skip the partitions of earlier days. */
  first: string;
}

// Deliveries have no index on their alert. Their ids begin with the millisecond in which their alert was accepted. The
// statement therefore reads one range of delivery ids for each millisecond in which alerts of the page were accepted.
const alertsOf = ({ ids, first }: PageSql) => `
  with page as materialized (
    ${ids}
  ), accepted as materialized (
    select distinct left(id::text, 13) as millisecond from page
  ), summaries as materialized (
    select d.alert_record_id,
      json_build_object('succeeded', count(*) filter (where d.status = 'succeeded'),
                        'failed', count(*) filter (where d.status = 'failed'),
                        'skipped', count(*) filter (where d.status = 'skipped'),
                        'open', count(*) filter (where d.status = 'open')) as summary
    from accepted join deliveries d on d.id >= (millisecond || '-0000-0000-000000000000')::uuid
                                   and d.id <= (millisecond || '-ffff-ffff-ffffffffffff')::uuid
    where d.id >= ${first} and d.alert_record_id = any(array(select id from page))
    group by d.alert_record_id
  )
  select ${columns}, coalesce(s.summary, '{"succeeded":0,"failed":0,"skipped":0,"open":0}') as summary
  from alerts left join summaries s on s.alert_record_id = alerts.id
  where id = any(array(select id from page)) and id >= ${first}
  order by id desc`;

const pageByIds = alertsOf({
  ids: 'select id from unnest(cast(:ids as uuid[])) as id',
  first: 'cast(:first as uuid)',
});

// PostgreSQL plans this statement with the values of each search, and omits the conditions of filters that are null.
const readRecent = alertsOf({
  ids: `select id from alerts
    where workspace_id = $1 and id >= $2 and id < $3
      and ($5::uuid is null or published_by = $5) and ($6::uuid is null or alert_rule_id = $6)
      and ($7::text is null or outcome = $7) and ($8::uuid is null or model_id = $8)
    order by id desc limit $4`,
  first: '$2',
});

const findKey = {
  name: 'alerts.find-key',
  text: 'select accepted_at as "acceptedAt" from alert_keys where workspace_id = $1 and alert_id = $2',
};

const findByIds = {
  name: 'alerts.find',
  text: alertsOf({ ids: 'select id from unnest($1::uuid[]) as id', first: '$2' }),
};
