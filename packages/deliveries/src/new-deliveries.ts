import { recordId } from '@tocsin/database';

type AlertIds = { workspace_id: string; alert_id: string };

/** An alert with one time of acceptance always has the same record id. */
export function alertRecordId(acceptedAtMs: number, { workspace_id, alert_id }: AlertIds): string {
  return recordId(acceptedAtMs, `${workspace_id}/${alert_id}`);
}

export function deliveryRecordId(acceptedAtMs: number, alert: AlertIds, webhookId: string): string {
  return recordId(acceptedAtMs, `${alert.workspace_id}/${alert.alert_id}/${webhookId}`);
}

/** Errors of deliveries that are written as failed, by error code. They have no attempt and can be redelivered. */
export const failuresAtWrite = {
  webhook_deleted: 'The webhook has been deleted, or never was in this workspace.',
  over_quota: 'The webhook had too many open deliveries.',
} as const;

export type FailureAtWrite = keyof typeof failuresAtWrite;

export function isFailureAtWrite(state: string): state is FailureAtWrite {
  return state in failuresAtWrite;
}

/**
 * SQL that inserts the rows of a common table expression as deliveries: as failed where they have an `error_code`, and as
 * open otherwise. Fan-out and dispatch by hand differ in the rows of `open_deliveries` that they write with it.
 */
export function insertDeliveries(rows: string): string {
  return `insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                              destination, status, failed_at, error_code, error)
      select id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name, destination,
             case when error_code is null then 'open' else 'failed' end,
             case when error_code is not null then now() end, error_code, error
      from ${rows}`;
}
