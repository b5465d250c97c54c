import type { AlertOutcome, AlertState, Bound, Suppression } from '@tocsin/contracts';
import { type Database, readWithTimeout } from '@tocsin/database';
import { alertRecordId, type IdRange, readNewestFirst } from '@tocsin/deliveries';
import { definedOnly, newestInRange } from '../lists/list-query.js';
import { searchTimeoutMs } from '../lists/search-limiter.js';

export interface StoredAlert {
  /** Id of the row; it starts with the time of acceptance. */
  recordId: string;
  workspaceId: string;
  alertId: string;
  acceptedAt: Date;
  /** Time of firing in the notation of the monitor. */
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
  /** The alert from which a cooldown ran. */
  suppressedByAlert: string | null;
  /** Webhooks for a dispatch by hand; null for an alert that needs none. */
  webhookIds: string[] | null;
  dispatchedAt: Date | null;
  dispatchedBy: string | null;
}

interface AlertQuery {
  workspaceId: string;
  range: IdRange;
  filter: { alert_rule_id?: string | undefined; outcome?: AlertOutcome | undefined };
  limit: number;
}

/** An alert of a list. */
interface ListedAlert extends StoredAlert {
  /** True for an alert that exceeds the byte budget of the page. */
  beyondBudget: boolean;
}

export interface AlertsReader {
  /** Lists alerts, newest first; up to 4 MiB of labels and annotations are within the budget of a page. */
  list(query: AlertQuery): Promise<ListedAlert[]>;
  find(workspaceId: string, alertId: string): Promise<StoredAlert | undefined>;
  /** Reads what decides if an alert of this rule can be published, in one statement. */
  findRule(wanted: {
    alertRuleId: string;
    workspaceId: string;
    /** Ids of the webhooks of a rule in the message. */
    webhookIds: string[];
  }): Promise<RuleOfAlert>;
}

export interface RuleOfAlert {
  /** Workspace of the rule, also of a deleted one; null for an id that was never registered. */
  workspaceId: string | null;
  /** Those of the webhook ids that do not exist in the workspace. */
  unknownWebhookIds: string[];
}

export function createAlertsReader(database: Database): AlertsReader {
  return {
    list: async ({ workspaceId, range, filter, limit }) => {
      const found = await readWithTimeout(database, searchTimeoutMs, (trx, beforeNext) =>
        readNewestFirst({ range, limit, nowMs: Date.now() }, async (window, count) => {
          const alerts: StoredAlert[] = await trx('alerts')
            .select(trx.raw(columns))
            .where({ workspace_id: workspaceId, ...definedOnly(filter) })
            .modify(newestInRange, { column: 'id', range: window, limit: count });
          await beforeNext();
          return alerts;
        }),
      );
      return withinBudget(found);
    },

    async find(workspaceId, alertId) {
      const [key] = await database.prepared<{ acceptedAt: Date }>(findKey, [workspaceId, alertId]);
      if (key === undefined) return undefined;
      const id = alertRecordId(key.acceptedAt.getTime(), { workspace_id: workspaceId, alert_id: alertId });
      const [alert] = await database.prepared<StoredAlert>(findById, [id]);
      return alert;
    },

    async findRule({ alertRuleId, workspaceId, webhookIds }) {
      const [rule] = await database.prepared<RuleOfAlert>(findRule, [alertRuleId, workspaceId, webhookIds]);
      return rule!;
    },
  };
}

const textBytes = 4 * 1_048_576;

function withinBudget(alerts: StoredAlert[]): ListedAlert[] {
  let total = 0;
  return alerts.map((alert, index) => {
    for (const texts of [alert.labels, alert.annotations]) {
      if (texts !== null) total += Buffer.byteLength(JSON.stringify(texts));
    }
    return { ...alert, beyondBudget: index > 0 && total > textBytes };
  });
}

const columns = `id as "recordId", workspace_id as "workspaceId", alert_id as "alertId", accepted_at as "acceptedAt",
  fired_at as "firedAt", alert_rule_id as "alertRuleId", alert_rule_name as "alertRuleName", model_id as "modelId",
  model_name as "modelName", metric_value as "metricValue", threshold, bound, state, labels, annotations,
  is_test as "isTest", outcome, suppressed_by as "suppressedBy", suppressed_by_alert as "suppressedByAlert",
  webhook_ids::text[] as "webhookIds", dispatched_at as "dispatchedAt", dispatched_by as "dispatchedBy"`;

const findKey = {
  name: 'alerts.find-key',
  text: 'select accepted_at as "acceptedAt" from alert_keys where workspace_id = $1 and alert_id = $2',
};

const findById = { name: 'alerts.find', text: `select ${columns} from alerts where id = $1` };

const findRule = {
  name: 'alerts.find-rule',
  text: `
    select (select workspace_id from alert_rules where id = $1) as "workspaceId",
           array(select given.id::text from unnest($3::uuid[]) as given(id)
                 where not exists (select from webhooks w where w.id = given.id and w.workspace_id = $2))
             as "unknownWebhookIds"`,
};
