import type { AlertOutcome, Bound } from '@tocsin/contracts';
import { type Database, readWithTimeout, recordId } from '@tocsin/database';
import { type IdRange, readNewestFirst } from '@tocsin/deliveries';
import { searchTimeoutMs } from '../lists/searches.js';

export interface StoredAlert {
  /** Of the record; begins with the time of acceptance. */
  recordId: string;
  workspaceId: string;
  alertId: string;
  acceptedAt: Date;
  /** As the monitor wrote it. */
  firedAt: string;
  alertRuleId: string;
  alertRuleName: string;
  modelId: string;
  modelName: string;
  metricValue: number;
  threshold: number;
  bound: Bound;
  outcome: AlertOutcome;
}

interface AlertQuery {
  workspaceId: string;
  range: IdRange;
  alertRuleId: string | undefined;
  outcome: AlertOutcome | undefined;
  limit: number;
}

export interface AlertsReader {
  /** Newest first. */
  list(query: AlertQuery): Promise<StoredAlert[]>;
  find(workspaceId: string, alertId: string): Promise<StoredAlert | undefined>;
  /** The workspace of a rule, deleted ones included; undefined where none of this id was ever registered. */
  findRuleWorkspace(alertRuleId: string): Promise<string | undefined>;
}

export function createAlertsReader(database: Database): AlertsReader {
  return {
    list: ({ workspaceId, range, alertRuleId, outcome, limit }) =>
      readWithTimeout(database, searchTimeoutMs, (trx, goOn) =>
        readNewestFirst({ range, limit, nowMs: Date.now() }, async (window, count) => {
          const { rows } = await trx.raw<{ rows: AlertRow[] }>(
            `select ${columns} from alerts
             where workspace_id = :workspaceId and id >= :from and id < :below
               ${alertRuleId === undefined ? '' : 'and alert_rule_id = :alertRuleId'}
               ${outcome === undefined ? '' : 'and outcome = :outcome'}
             order by id desc limit :limit`,
            {
              workspaceId,
              ...window,
              alertRuleId: alertRuleId ?? null,
              outcome: outcome ?? null,
              limit: count,
            },
          );
          await goOn();
          return rows.map(toAlert);
        }),
      ),

    async find(workspaceId, alertId) {
      const [key] = await database.prepared<{ accepted_at: Date }>(findKey, [workspaceId, alertId]);
      if (key === undefined) return undefined;
      const id = recordId(key.accepted_at.getTime(), `${workspaceId}/${alertId}`);
      const [row] = await database.prepared<AlertRow>(findById, [id]);
      return row && toAlert(row);
    },

    async findRuleWorkspace(alertRuleId) {
      const [row] = await database.prepared<{ workspace_id: string }>(findRule, [alertRuleId]);
      return row?.workspace_id;
    },
  };
}

const columns = `id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
  model_name, metric_value, threshold, bound, outcome`;

const findKey = {
  name: 'alerts.find-key',
  text: 'select accepted_at from alert_keys where workspace_id = $1 and alert_id = $2',
};

const findById = { name: 'alerts.find', text: `select ${columns} from alerts where id = $1` };

const findRule = {
  name: 'alerts.find-rule',
  text: 'select workspace_id from alert_rules where id = $1',
};

interface AlertRow {
  id: string;
  workspace_id: string;
  alert_id: string;
  accepted_at: Date;
  fired_at: string;
  alert_rule_id: string;
  alert_rule_name: string;
  model_id: string;
  model_name: string;
  metric_value: number;
  threshold: number;
  bound: Bound;
  outcome: AlertOutcome;
}

function toAlert(row: AlertRow): StoredAlert {
  return {
    recordId: row.id,
    workspaceId: row.workspace_id,
    alertId: row.alert_id,
    acceptedAt: row.accepted_at,
    firedAt: row.fired_at,
    alertRuleId: row.alert_rule_id,
    alertRuleName: row.alert_rule_name,
    modelId: row.model_id,
    modelName: row.model_name,
    metricValue: row.metric_value,
    threshold: row.threshold,
    bound: row.bound,
    outcome: row.outcome,
  };
}
