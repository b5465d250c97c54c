import { recordId } from '@tocsin/database';

type AlertIds = { workspace_id: string; alert_id: string };

/** Returns the id of the row of an alert in the table `alerts`. Equal arguments give equal ids. */
export function alertRecordId(acceptedAtMs: number, { workspace_id, alert_id }: AlertIds): string {
  return recordId(acceptedAtMs, `${workspace_id}/${alert_id}`);
}

export function deliveryRecordId(acceptedAtMs: number, alert: AlertIds, webhookId: string): string {
  return recordId(acceptedAtMs, `${alert.workspace_id}/${alert.alert_id}/${webhookId}`);
}

/**
 * Error texts of deliveries that are written as failed, by error code. Such deliveries have no attempt and can be
 * redelivered.
 */
export const failuresAtWrite = {
  webhook_deleted: 'The webhook has been deleted, or never was in this workspace.',
  over_quota: 'The webhook had too many open deliveries.',
} as const;

export type FailureAtWrite = keyof typeof failuresAtWrite;

export function isFailureAtWrite(state: string): state is FailureAtWrite {
  return state in failuresAtWrite;
}

/**
 * Returns SQL that inserts the rows of a common table expression as deliveries: rows with an `error_code` as failed,
 * others as open. Callers combine it with their own insert into `open_deliveries`.
 */
export function insertDeliveries(rows: string): string {
  return `insert into deliveries (id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name,
                              destination, status, failed_at, error_code, error)
      select id, workspace_id, alert_id, alert_record_id, alert_rule_id, webhook_id, webhook_name, destination,
             case when error_code is null then 'open' else 'failed' end,
             case when error_code is not null then now() end, error_code, error
      from ${rows}`;
}
