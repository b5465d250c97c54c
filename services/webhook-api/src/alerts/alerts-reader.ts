import type { AlertOutcome, AlertState, Bound, Suppression } from '@tocsin/contracts';
import { type Database, readWithTimeout } from '@tocsin/database';
import { alertRecordId, countNewestFirst, type IdRange, readNewestFirst } from '@tocsin/deliveries';
import type { NoticeFacts } from '@tocsin/template';
import { countUpTo } from '../lists/list-query.js';
import { searchTimeoutMs } from '../lists/search-limiter.js';
import { type AlertFilter, findAlerts, findMatching } from './alert-filter.js';
import { type AlertSummary, noDeliveries, readSummaries } from './alert-summaries.js';

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
   * Ids of the webhooks that a dispatch by hand calls if the rule is not registered. They are stored only for an alert
   * with the outcome `over_quota`, and for one whose message contains a disabled rule. Null for other alerts.
   */
  webhookIds: string[] | null;
  dispatchedAt: Date | null;
  dispatchedBy: string | null;
  /** Values of a notice; null for other alerts. */
  notice: NoticeFacts | null;
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
  summary: AlertSummary;
  /** True for each alert above the byte limit of the page. The next page starts with the first of these alerts. */
  beyondBudget: boolean;
}

export interface AlertsReader {
  /** Lists alerts, newest first. Alerts above 4 MiB of labels and annotations are marked `beyondBudget`. */
  list(query: AlertQuery & { limit: number }): Promise<ListedAlert[]>;
  /** Counts alerts, up to `max`. */
  count(query: AlertQuery, max: number): Promise<number>;
  find(workspaceId: string, alertId: string): Promise<StoredAlert | undefined>;
  /** Counts the deliveries of an alert by state. */
  summarize(alert: StoredAlert): Promise<AlertSummary>;
  /** Reads the rules and webhooks that alerts name, in one statement, to decide if the alerts can be published. */
  findRules(wanted: {
    workspaceId: string;
    alertRuleIds: string[];
    /** Ids of the webhooks that the rules in the messages name. */
    webhookIds: string[];
  }): Promise<RulesOfAlerts>;
}

export interface RulesOfAlerts {
  /** Workspace id by rule id. Deleted rules are included; unregistered ids are missing. */
  workspaceIds: Record<string, string>;
  /** The requested webhook ids that exist in the workspace. */
  knownWebhookIds: string[];
}

export function createAlertsReader(database: Database): AlertsReader {
  return {
    list: ({ range, limit, ...query }) =>
      readWithTimeout(database, searchTimeoutMs, async (trx, beforeNext) => {
        const ids = await readNewestFirst({ range, limit, nowMs: Date.now() }, (window, count) =>
          findAlerts({ ...query, trx, window, beforeNext }, count),
        );
        if (ids.length === 0) return [];
        // The ids are passed as constants, so that PostgreSQL can skip the partitions of other days.
        const found: StoredAlert[] = await trx('alerts')
          .select(trx.raw(columns))
          .whereRaw('id = any(cast(? as uuid[]))', [ids])
          .orderBy('id', 'desc');
        const summaries = await readSummaries(trx, found.filter(hasDeliveries));
        return withinBudget(found, summaries);
      }),

    count: ({ range, ...query }, max) =>
      readWithTimeout(database, searchTimeoutMs, (trx, beforeNext) =>
        countNewestFirst({ range, max, nowMs: Date.now() }, async (window, left) => {
          const count = await countUpTo(trx, findMatching({ ...query, trx, window }).select('a.id'), left);
          await beforeNext();
          return count;
        }),
      ),

    async find(workspaceId, alertId) {
      const [key] = await database.prepared<{ acceptedAt: Date }>(findKey, [workspaceId, alertId]);
      if (key === undefined) return undefined;
      const id = alertRecordId(key.acceptedAt.getTime(), { workspace_id: workspaceId, alert_id: alertId });
      const [alert] = await database.prepared<StoredAlert>(findById, [id]);
      return alert;
    },

    async summarize(alert) {
      const summaries = await readSummaries(database.knex, [alert].filter(hasDeliveries));
      return summaries.get(alert.recordId) ?? noDeliveries;
    },

    async findRules({ workspaceId, alertRuleIds, webhookIds }) {
      const values = [workspaceId, alertRuleIds, webhookIds];
      const [found] = await database.prepared<RulesOfAlerts>(findRules, values);
      return found!;
    },
  };
}

const textBytes = 4 * 1_048_576;

function hasDeliveries({ outcome }: StoredAlert): boolean {
  return outcome === 'dispatched';
}

function withinBudget(alerts: StoredAlert[], summaries: Map<string, AlertSummary>): ListedAlert[] {
  let total = 0;
  return alerts.map((alert, index) => {
    for (const texts of [alert.labels, alert.annotations]) {
      if (texts !== null) total += Buffer.byteLength(JSON.stringify(texts));
    }
    const summary = summaries.get(alert.recordId) ?? noDeliveries;
    return { ...alert, summary, beyondBudget: index > 0 && total > textBytes };
  });
}

const columns = `id as "recordId", workspace_id as "workspaceId", alert_id as "alertId", published_by as "publishedBy",
  accepted_at as "acceptedAt",
  fired_at as "firedAt", alert_rule_id as "alertRuleId", alert_rule_name as "alertRuleName", model_id as "modelId",
  model_name as "modelName", metric_value as "metricValue", threshold, bound, state, labels, annotations,
  is_test as "isTest", outcome, suppressed_by as "suppressedBy", suppressed_by_alert as "suppressedByAlert",
  webhook_ids::text[] as "webhookIds", dispatched_at as "dispatchedAt", dispatched_by as "dispatchedBy", notice`;

const findKey = {
  name: 'alerts.find-key',
  text: 'select accepted_at as "acceptedAt" from alert_keys where workspace_id = $1 and alert_id = $2',
};

const findById = { name: 'alerts.find', text: `select ${columns} from alerts where id = $1` };

const findRules = {
  name: 'alerts.find-rules',
  text: `
    select (select coalesce(json_object_agg(id, workspace_id), '{}') from alert_rules
            where id = any($2::uuid[])) as "workspaceIds",
           array(select id::text from webhooks where workspace_id = $1 and id = any($3::uuid[]))
             as "knownWebhookIds"`,
};
