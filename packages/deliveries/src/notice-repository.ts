import type { Knex } from 'knex';
import { alertRecordId, deliveryRecordId, insertDeliveries } from './new-deliveries.js';
import { type NoticeEvent, noticeAlertId, noticeRules } from './notices.js';

export interface Notice {
  event: NoticeEvent;
  workspaceId: string;
  /** Ids of the webhooks that receive the notices of the workspace, from its settings. */
  noticeWebhookIds: string[];
  /** The webhook that the notice is about; undefined for a notice about dead letters. */
  webhook: { id: string; name: string } | undefined;
  since: Date;
  /** Error sentence without secrets; empty if there is none. */
  error: string;
  /** Number of dead letters; 0 for a notice about a webhook. */
  count: number;
}

const noId = '00000000-0000-0000-0000-000000000000';

/**
 * Writes a notice as an alert with its deliveries, in the transaction of the change that the notice reports. A webhook
 * does not receive notices about itself. Resolves to false, without a change, if the notice exists already.
 */
export async function writeNotice(trx: Knex.Transaction, notice: Notice): Promise<boolean> {
  const { event, workspaceId, webhook, since, error, count } = notice;
  const { rows: clock } = await trx.raw<{ rows: { now: Date }[] }>('select now() as now');
  const acceptedAtMs = clock[0]!.now.getTime();
  const alert = {
    workspace_id: workspaceId,
    alert_id: noticeAlertId(event, webhook?.id ?? workspaceId, since),
  };
  const targets: { id: string; name: string; destination: string }[] = await trx('webhooks')
    .select('id', 'name', 'destination')
    .where({ workspace_id: workspaceId })
    .whereIn('id', notice.noticeWebhookIds)
    .whereNot('id', webhook?.id ?? noId);
  const recordId = alertRecordId(acceptedAtMs, alert);
  const { rows } = await trx.raw(writeText, {
    ...alert,
    acceptedAt: new Date(acceptedAtMs),
    recordId,
    ruleId: noticeRules[event].id,
    ruleName: noticeRules[event].name,
    modelId: webhook?.id ?? noId,
    modelName: webhook?.name ?? '',
    outcome: targets.length > 0 ? 'dispatched' : 'no_webhooks',
    notice: JSON.stringify({
      event,
      webhook_id: webhook?.id ?? '',
      webhook_name: webhook?.name ?? '',
      since: since.toISOString(),
      error,
      count,
    }),
    ids: targets.map(({ id }) => deliveryRecordId(acceptedAtMs, alert, id)),
    webhookIds: targets.map(({ id }) => id),
    names: targets.map(({ name }) => name),
    destinations: targets.map(({ destination }) => destination),
  });
  return rows.length > 0;
}

const writeText = `
  with key as (
    insert into alert_keys (workspace_id, alert_id, accepted_at)
    values (:workspace_id, :alert_id, :acceptedAt)
    on conflict do nothing
    returning workspace_id, alert_id
  ), written as (
    insert into alerts (id, workspace_id, alert_id, accepted_at, fired_at, alert_rule_id, alert_rule_name, model_id,
                        model_name, metric_value, threshold, bound, outcome, notice)
    select cast(:recordId as uuid), workspace_id, alert_id, cast(:acceptedAt as timestamptz),
           to_char(cast(:acceptedAt as timestamptz) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           cast(:ruleId as uuid), :ruleName, cast(:modelId as uuid), :modelName, 0, 0, 'upper_bound', :outcome,
           cast(:notice as jsonb)
    from key
    returning id, workspace_id, alert_id, alert_rule_id
  ), new as (
    select new.*, written.id as alert_record_id, workspace_id, alert_id, alert_rule_id, cast(null as text) as error_code,
           cast(null as text) as error
    from written cross join unnest(cast(:ids as uuid[]), cast(:webhookIds as uuid[]), cast(:names as text[]),
                                   cast(:destinations as text[])) as new(id, webhook_id, webhook_name, destination)
  ), delivered as (
    ${insertDeliveries('new')}
  ), opened as (
    insert into open_deliveries (delivery_id, workspace_id, webhook_id, alert_record_id, run, state, due_at, opened_at,
                                 claim)
    select id, workspace_id, webhook_id, alert_record_id, 1, 'waiting', now(), now(), 0 from new
  )
  select id from written`;
