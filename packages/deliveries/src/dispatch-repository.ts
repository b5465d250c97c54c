import type { AlertOutcome } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { Knex } from 'knex';
import {
  alertRecordId,
  deliveryRecordId,
  type FailureAtWrite,
  failuresAtWrite,
  insertDeliveries,
} from './new-deliveries.js';

/** Result of planning the dispatch of one alert by hand. */
export type DispatchPlan =
  | PlannedDispatch
  | { kind: 'not_found' }
  /** `reason` is a sentence for the user. */
  | { kind: 'conflict'; reason: string };

export interface PlannedDispatch {
  kind: 'dispatch';
  alert: AlertRow;
  webhooks: DispatchWebhook[];
}

/**
 * A webhook to which an alert is dispatched. If it does not exist in the workspace, its delivery is written as failed.
 */
interface DispatchWebhook {
  webhookId: string;
  exists: boolean;
  name: string;
  destination: string;
}

/**
 * Plans the dispatch by hand of an alert without deliveries. If the rule of the alert is registered, the plan contains
 * the current webhooks of the rule. If the rule is unregistered, the plan contains the webhooks that were stored with
 * the alert.
 */
export async function planDispatch(
  { knex }: Database,
  alertOf: { workspaceId: string; alertId: string },
): Promise<DispatchPlan> {
  const alert = await findAlert(knex, alertOf);
  if (alert === undefined) return { kind: 'not_found' };
  const [plan] = await planDispatches(knex, [alert]);
  return plan!;
}

/** Plans the dispatch of alerts, which must be of one workspace. The plans are in the order of the alerts. */
export async function planDispatches(knex: Knex, alerts: AlertRow[]): Promise<DispatchPlan[]> {
  const [first] = alerts;
  if (first === undefined) return [];
  const { workspace_id: workspaceId } = first;
  const rules = await findRules(knex, workspaceId, [...new Set(alerts.map((alert) => alert.alert_rule_id))]);
  const idsOf = ({ alert_rule_id, webhook_ids }: AlertRow) =>
    rules.get(alert_rule_id)?.webhook_ids ?? webhook_ids ?? [];
  const webhooks = await findWebhooks(knex, workspaceId, [...new Set(alerts.flatMap(idsOf))]);
  return alerts.map((alert): DispatchPlan => {
    if (alert.outcome === 'dispatched') return conflict('This alert has been dispatched already.');
    const rule = rules.get(alert.alert_rule_id);
    if (rule?.deleted) return conflict('The alert rule has been deleted.');
    if (rule?.enabled === false) return conflict('The alert rule is disabled; enable it first.');
    const called = idsOf(alert).map((webhookId) => {
      const { name = '', destination = '' } = webhooks.get(webhookId) ?? {};
      return { webhookId, exists: webhooks.has(webhookId), name, destination };
    });
    if (!called.some(({ exists }) => exists))
      return conflict('The alert rule has no webhooks; attach one first.');
    return { kind: 'dispatch', alert, webhooks: called };
  });
}

/**
 * Creates the planned deliveries, due now, marks their alerts as dispatched, and returns the record ids of these
 * alerts. An alert that is already dispatched is left unchanged. Concurrent calls for the same alert wait for its row
 * lock.
 * @param dispatchedBy principal of the caller
 */
export async function dispatchAlerts(
  knex: Knex,
  plans: PlannedDispatch[],
  dispatchedBy: string,
): Promise<string[]> {
  const deleted: FailureAtWrite = 'webhook_deleted';
  const deliveries = plans.flatMap(({ alert, webhooks }) =>
    webhooks.map((webhook) => ({
      ...webhook,
      alertRecordId: alert.id,
      id: deliveryRecordId(alert.accepted_at.getTime(), alert, webhook.webhookId),
    })),
  );
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `with locked as materialized (
       select id from alerts where id = any(cast(:alertRecordIds as uuid[])) and outcome <> 'dispatched'
       order by id for update
     ), dispatched as (
       update alerts a set outcome = 'dispatched', dispatched_at = now(), dispatched_by = :dispatchedBy
       from locked where a.id = any(cast(:alertRecordIds as uuid[])) and a.id = locked.id
       returning a.id, a.workspace_id, a.alert_id, a.alert_rule_id
     ), new as (
       select new.*, workspace_id, alert_id, alert_rule_id
       from unnest(cast(:alertRecordIdsOf as uuid[]), cast(:ids as uuid[]), cast(:webhookIds as uuid[]),
         cast(:names as text[]), cast(:destinations as text[]), cast(:errorCodes as text[]), cast(:errors as text[]))
         as new(alert_record_id, id, webhook_id, webhook_name, destination, error_code, error)
       join dispatched on dispatched.id = new.alert_record_id
     ), written as (
       ${insertDeliveries('new')}
     ), opened as (
       insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at,
                                    opened_at, manual, claim)
       select id, workspace_id, webhook_id, alert_record_id, 1, 'waiting', now(), now(), true, 0
       from new where error_code is null
     )
     select id from dispatched`,
    {
      alertRecordIds: plans.map(({ alert }) => alert.id),
      alertRecordIdsOf: deliveries.map(({ alertRecordId }) => alertRecordId),
      ids: deliveries.map(({ id }) => id),
      webhookIds: deliveries.map(({ webhookId }) => webhookId),
      names: deliveries.map(({ name }) => name),
      destinations: deliveries.map(({ destination }) => destination),
      errorCodes: deliveries.map(({ exists }) => (exists ? null : deleted)),
      errors: deliveries.map(({ exists }) => (exists ? null : failuresAtWrite[deleted])),
      dispatchedBy,
    },
  );
  return rows.map(({ id }) => id);
}

function conflict(reason: string): DispatchPlan {
  return { kind: 'conflict', reason };
}

export interface AlertRow {
  id: string;
  workspace_id: string;
  alert_id: string;
  accepted_at: Date;
  alert_rule_id: string;
  outcome: AlertOutcome;
  webhook_ids: string[] | null;
}

/** SQL for the columns of `AlertRow`. */
export const alertColumns =
  'id, workspace_id, alert_id, accepted_at, alert_rule_id, outcome, cast(webhook_ids as text[]) as webhook_ids';

async function findAlert(
  knex: Knex,
  { workspaceId, alertId }: { workspaceId: string; alertId: string },
): Promise<AlertRow | undefined> {
  const ids = { workspace_id: workspaceId, alert_id: alertId };
  const [key]: { accepted_at: Date }[] = await knex('alert_keys').select('accepted_at').where(ids);
  if (key === undefined) return undefined;
  const [alert]: AlertRow[] = await knex('alerts')
    .select(knex.raw(alertColumns))
    .where({ id: alertRecordId(key.accepted_at.getTime(), ids) });
  return alert;
}

interface RuleRow {
  id: string;
  enabled: boolean;
  deleted: boolean;
  webhook_ids: string[];
}

/** Finds registered rules by id, including deleted ones. */
async function findRules(knex: Knex, workspaceId: string, ids: string[]): Promise<Map<string, RuleRow>> {
  const rules: RuleRow[] = await knex('alert_rules as r')
    .select('id', 'enabled')
    .select(
      knex.raw(
        `deleted_at is not null as deleted,
         array(select l.webhook_id::text from alert_rule_webhooks l where l.alert_rule_id = r.id order by l.position)
           as webhook_ids`,
      ),
    )
    .where({ workspace_id: workspaceId })
    .whereIn('id', ids);
  return new Map(rules.map((rule) => [rule.id, rule]));
}

interface WebhookRow {
  id: string;
  name: string;
  destination: string;
}

async function findWebhooks(
  knex: Knex,
  workspaceId: string,
  ids: string[],
): Promise<Map<string, WebhookRow>> {
  const webhooks: WebhookRow[] = await knex('webhooks')
    .select('id', 'name', 'destination')
    .where({ workspace_id: workspaceId })
    .whereIn('id', ids);
  return new Map(webhooks.map((webhook) => [webhook.id, webhook]));
}
