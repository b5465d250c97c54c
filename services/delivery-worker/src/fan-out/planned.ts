import { recordId } from '@tocsin/database';
import type { ResolvedAlert } from './resolve-alert.js';

/** One row to be: an alert for one webhook. */
export interface PlannedDelivery {
  id: string;
  webhookId: string;
  webhookName: string;
  destination: string;
  /** Claimed by whoever writes it; or queued, to be published at once; or waiting for the dispatcher. */
  state: 'claimed' | 'queued' | 'waiting';
}

export interface PlannedAlert {
  resolved: ResolvedAlert;
  recordId: string;
  deliveries: PlannedDelivery[];
}

/** The ids under which an alert and its deliveries are kept; the same alert accepted at the same time has the same. */
export function alertRecordId(acceptedAtMs: number, workspaceId: string, alertId: string): string {
  return recordId(acceptedAtMs, `${workspaceId}/${alertId}`);
}

export function deliveryRecordId(
  acceptedAtMs: number,
  alert: { workspace_id: string; alert_id: string },
  webhookId: string,
): string {
  return recordId(acceptedAtMs, `${alert.workspace_id}/${alert.alert_id}/${webhookId}`);
}
