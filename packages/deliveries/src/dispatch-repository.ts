import type { AlertOutcome } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import type { Knex } from 'knex';
import { alertRecordId, deliveryRecordId, type FailureAtWrite, failuresAtWrite } from './new-deliveries.js';

/** Result of a dispatch by hand. Nothing is changed unless it is `dispatched`. */
export type DispatchOutcome =
  | { kind: 'dispatched' }
  | { kind: 'not_found' }
  /** `reason` is a sentence for people. */
  | { kind: 'conflict'; reason: string };

export interface DispatchRequest {
  workspaceId: string;
  alertId: string;
  /** Name of the caller. */
  dispatchedBy: string;
}

/**
 * Creates the deliveries of an alert that has none, due now: with the alert's facts, for the webhooks of its rule as the
 * rule is now, or for the stored ones if its rule was in the message. Concurrent calls create one set: the alert's row is
 * locked, and its outcome becomes `dispatched` in the same commit.
 */
export async function dispatchAlert(database: Database, request: DispatchRequest): Promise<DispatchOutcome> {
  return database.knex.transaction(async (trx): Promise<DispatchOutcome> => {
    const alert = await lockAlert(trx, request);
    if (alert === undefined) return { kind: 'not_found' };
    if (alert.outcome === 'dispatched') return conflict('This alert has been dispatched already.');
    const rule = await readRule(trx, alert);
    if (rule?.deleted) return conflict('The alert rule has been deleted.');
    if (rule?.enabled === false) return conflict('The alert rule is disabled.');
    const webhookIds = rule?.webhook_ids ?? alert.webhook_ids ?? [];
    const webhooks = await readWebhooks(trx, alert, webhookIds);
    if (webhooks.size === 0) return conflict('The alert rule has no webhooks.');
    await write(trx, { alert, webhookIds, webhooks, dispatchedBy: request.dispatchedBy });
    return { kind: 'dispatched' };
  });
}

function conflict(reason: string): DispatchOutcome {
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

async function lockAlert(
  trx: Knex.Transaction,
  { workspaceId, alertId }: DispatchRequest,
): Promise<AlertRow | undefined> {
  const ids = { workspace_id: workspaceId, alert_id: alertId };
  const [key]: { accepted_at: Date }[] = await trx('alert_keys').select('accepted_at').where(ids);
  if (key === undefined) return undefined;
  const [alert]: AlertRow[] = await trx('alerts')
    .select('id', 'workspace_id', 'alert_id', 'accepted_at', 'alert_rule_id', 'outcome')
    .select(trx.raw('webhook_ids::text[]'))
    .where({ id: alertRecordId(key.accepted_at.getTime(), ids) })
    .forUpdate();
  return alert;
}

interface RuleRow {
  enabled: boolean;
  deleted: boolean;
  webhook_ids: string[];
}

/** Undefined for a rule that was never registered. */
async function readRule(
  trx: Knex.Transaction,
  { alert_rule_id: id, workspace_id }: AlertRow,
): Promise<RuleRow | undefined> {
  const [rule]: RuleRow[] = await trx('alert_rules as r')
    .select('enabled')
    .select(
      trx.raw(
        `deleted_at is not null as deleted,
         array(select l.webhook_id::text from alert_rule_webhooks l where l.alert_rule_id = r.id order by l.position)
           as webhook_ids`,
      ),
    )
    .where({ id, workspace_id });
  return rule;
}

interface WebhookRow {
  id: string;
  name: string;
  destination: string;
}

async function readWebhooks(
  trx: Knex.Transaction,
  { workspace_id }: AlertRow,
  webhookIds: string[],
): Promise<Map<string, WebhookRow>> {
  const webhooks: WebhookRow[] = await trx('webhooks')
    .select('id', 'name', 'destination')
    .where({ workspace_id })
    .whereIn('id', webhookIds);
  return new Map(webhooks.map((webhook) => [webhook.id, webhook]));
}

interface NewDeliveries {
  alert: AlertRow;
  webhookIds: string[];
  webhooks: Map<string, WebhookRow>;
  dispatchedBy: string;
}

/** Deliveries of stored webhooks that do not exist are written as failed, as in fan-out. */
async function write(
  trx: Knex.Transaction,
  { alert, webhookIds, webhooks, dispatchedBy }: NewDeliveries,
): Promise<void> {
  const deleted: FailureAtWrite = 'webhook_deleted';
  await trx.raw(
    `with new as (
       select * from unnest(cast(:ids as uuid[]), cast(:webhookIds as uuid[]), cast(:names as text[]),
                            cast(:destinations as text[]), cast(:errorCodes as text[]), cast(:errors as text[]))
         as new(id, webhook_id, webhook_name, destination, error_code, error)
     ), written as (
       insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                               destination, status, failed_at, error_code, error)
       select id, :workspaceId, :alertId, :alertRecordId, :alertRuleId, webhook_id, webhook_name, destination,
              case when error_code is null then 'open' else 'failed' end,
              case when error_code is not null then now() end, error_code, error
       from new
     ), opened as (
       insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at,
                                    opened_at, manual, claim)
       select id, :workspaceId, webhook_id, :alertRecordId, 1, 'waiting', now(), now(), true, 0
       from new where error_code is null
     )
     update alerts set outcome = 'dispatched', dispatched_at = now(), dispatched_by = :dispatchedBy
     where id = :alertRecordId`,
    {
      ids: webhookIds.map((webhookId) => deliveryRecordId(alert.accepted_at.getTime(), alert, webhookId)),
      webhookIds,
      names: webhookIds.map((id) => webhooks.get(id)?.name ?? ''),
      destinations: webhookIds.map((id) => webhooks.get(id)?.destination ?? ''),
      errorCodes: webhookIds.map((id) => (webhooks.has(id) ? null : deleted)),
      errors: webhookIds.map((id) => (webhooks.has(id) ? null : failuresAtWrite[deleted])),
      workspaceId: alert.workspace_id,
      alertId: alert.alert_id,
      alertRecordId: alert.id,
      alertRuleId: alert.alert_rule_id,
      dispatchedBy,
    },
  );
}
