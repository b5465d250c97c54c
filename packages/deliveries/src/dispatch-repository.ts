import type { AlertOutcome } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import {
  alertRecordId,
  deliveryRecordId,
  type FailureAtWrite,
  failuresAtWrite,
  insertDeliveries,
} from './new-deliveries.js';

/** Result of planning a dispatch by hand. */
export type DispatchPlan =
  | { kind: 'dispatch'; alert: AlertRow; webhooks: DispatchWebhook[] }
  | { kind: 'not_found' }
  /** `reason` is a sentence for people. */
  | { kind: 'conflict'; reason: string };

/** A webhook that the alert calls. Its delivery fails at once if the webhook does not exist in the workspace. */
interface DispatchWebhook {
  webhookId: string;
  exists: boolean;
  name: string;
  destination: string;
}

/**
 * Finds the webhooks that an alert without deliveries would call now: those of its rule as the rule is now, or the stored
 * ones if its rule was in the message.
 */
export async function planDispatch(
  database: Database,
  alertOf: { workspaceId: string; alertId: string },
): Promise<DispatchPlan> {
  const alert = await findAlert(database, alertOf);
  if (alert === undefined) return { kind: 'not_found' };
  if (alert.outcome === 'dispatched') return conflict('This alert has been dispatched already.');
  const rule = await findRule(database, alert);
  if (rule?.deleted) return conflict('The alert rule has been deleted.');
  if (rule?.enabled === false) return conflict('The alert rule is disabled.');
  const webhooks = await findWebhooks(database, alert, rule?.webhook_ids ?? alert.webhook_ids ?? []);
  if (!webhooks.some(({ exists }) => exists)) return conflict('The alert rule has no webhooks.');
  return { kind: 'dispatch', alert, webhooks };
}

/**
 * Creates the deliveries of a plan, due now, and marks the alert as dispatched. False, without a change, if another call
 * has dispatched it: concurrent calls wait for the alert's row.
 */
export async function dispatchAlert(
  { knex }: Database,
  { alert, webhooks, dispatchedBy }: Dispatch,
): Promise<boolean> {
  const deleted: FailureAtWrite = 'webhook_deleted';
  const { rows } = await knex.raw(
    `with dispatched as (
       update alerts set outcome = 'dispatched', dispatched_at = now(), dispatched_by = :dispatchedBy
       where id = :alertRecordId and outcome <> 'dispatched'
       returning id, workspace_id, alert_id, alert_rule_id
     ), new as (
       select new.*, dispatched.id as alert_record_id, workspace_id, alert_id, alert_rule_id
       from dispatched cross join unnest(cast(:ids as uuid[]), cast(:webhookIds as uuid[]), cast(:names as text[]),
         cast(:destinations as text[]), cast(:errorCodes as text[]), cast(:errors as text[]))
         as new(id, webhook_id, webhook_name, destination, error_code, error)
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
      ids: webhooks.map(({ webhookId }) => deliveryRecordId(alert.accepted_at.getTime(), alert, webhookId)),
      webhookIds: webhooks.map(({ webhookId }) => webhookId),
      names: webhooks.map(({ name }) => name),
      destinations: webhooks.map(({ destination }) => destination),
      errorCodes: webhooks.map(({ exists }) => (exists ? null : deleted)),
      errors: webhooks.map(({ exists }) => (exists ? null : failuresAtWrite[deleted])),
      alertRecordId: alert.id,
      dispatchedBy,
    },
  );
  return rows.length > 0;
}

interface Dispatch extends Pick<Extract<DispatchPlan, { kind: 'dispatch' }>, 'alert' | 'webhooks'> {
  /** Name of the caller. */
  dispatchedBy: string;
}

function conflict(reason: string): DispatchPlan {
  return { kind: 'conflict', reason };
}

interface AlertRow {
  id: string;
  workspace_id: string;
  alert_id: string;
  accepted_at: Date;
  alert_rule_id: string;
  outcome: AlertOutcome;
  webhook_ids: string[] | null;
}

async function findAlert(
  { knex }: Database,
  { workspaceId, alertId }: { workspaceId: string; alertId: string },
): Promise<AlertRow | undefined> {
  const ids = { workspace_id: workspaceId, alert_id: alertId };
  const [key]: { accepted_at: Date }[] = await knex('alert_keys').select('accepted_at').where(ids);
  if (key === undefined) return undefined;
  const [alert]: AlertRow[] = await knex('alerts')
    .select('id', 'workspace_id', 'alert_id', 'accepted_at', 'alert_rule_id', 'outcome')
    .select(knex.raw('webhook_ids::text[]'))
    .where({ id: alertRecordId(key.accepted_at.getTime(), ids) });
  return alert;
}

interface RuleRow {
  enabled: boolean;
  deleted: boolean;
  webhook_ids: string[];
}

/** Undefined for a rule that was never registered. */
async function findRule(
  { knex }: Database,
  { alert_rule_id: id, workspace_id }: AlertRow,
): Promise<RuleRow | undefined> {
  const [rule]: RuleRow[] = await knex('alert_rules as r')
    .select('enabled')
    .select(
      knex.raw(
        `deleted_at is not null as deleted,
         array(select l.webhook_id::text from alert_rule_webhooks l where l.alert_rule_id = r.id order by l.position)
           as webhook_ids`,
      ),
    )
    .where({ id, workspace_id });
  return rule;
}

async function findWebhooks(
  { knex }: Database,
  { workspace_id }: AlertRow,
  webhookIds: string[],
): Promise<DispatchWebhook[]> {
  const rows: { id: string; name: string; destination: string }[] = await knex('webhooks')
    .select('id', 'name', 'destination')
    .where({ workspace_id })
    .whereIn('id', webhookIds);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return webhookIds.map((webhookId) => {
    const { name = '', destination = '' } = byId.get(webhookId) ?? {};
    return { webhookId, exists: byId.has(webhookId), name, destination };
  });
}
