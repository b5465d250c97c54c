import type { Window } from '../dispatch/window.js';
import type { Slot, Slots } from '../slots/slots.js';
import { alertRecordId, deliveryRecordId, type PlannedAlert, type PlannedDelivery } from './planned.js';
import type { ResolvedAlert } from './resolve-alert.js';
import type { TargetWebhook } from './rules-reader.js';

/** An alert's rows as they will be written, with what was taken for them. */
export interface Plan extends PlannedAlert {
  deliveries: PlacedDelivery[];
}

/** A delivery that is claimed as it is written has its slot; one that is queued has a place in the window. */
export interface PlacedDelivery extends PlannedDelivery {
  webhook: TargetWebhook | undefined;
  slot: Slot | undefined;
}

export interface PlanOptions {
  targets: Map<string, TargetWebhook>;
  acceptedAtMs: number;
  window: Window;
  acquireAtWrite: Slots['acquireAtWrite'];
}

/** Decides what becomes of each of an alert's deliveries: begun by this worker at once, queued for any, or left waiting. */
export function planAlert(
  resolved: ResolvedAlert,
  { targets, acceptedAtMs, window, acquireAtWrite }: PlanOptions,
): Plan {
  const { alert } = resolved;
  return {
    resolved,
    recordId: alertRecordId(acceptedAtMs, alert.workspace_id, alert.alert_id),
    deliveries: resolved.webhookIds.map((webhookId) => {
      const found = targets.get(webhookId);
      // A rule may name a webhook that is gone or another workspace's: its record will say so, and nothing is sent.
      const webhook = found?.workspaceId === alert.workspace_id ? found : undefined;
      const isHeld = webhook?.held === true;
      const mayBegin = webhook?.enabled && !isHeld;
      const slot = mayBegin ? acquireAtWrite({ workspaceId: alert.workspace_id, webhookId }) : undefined;
      return {
        id: deliveryRecordId(acceptedAtMs, alert, webhookId),
        webhookId,
        webhookName: webhook?.name ?? '',
        destination: webhook?.destination ?? '',
        state: slot
          ? 'claimed'
          : !isHeld && window.take({ workspaceId: alert.workspace_id, webhookId })
            ? 'queued'
            : 'waiting',
        webhook,
        slot,
      };
    }),
  };
}

/** What was taken for a delivery that is not written after all. */
export function giveBack({ state, slot, webhookId }: PlacedDelivery, window: Window): void {
  slot?.release();
  if (state === 'queued') window.giveBack(webhookId);
}
