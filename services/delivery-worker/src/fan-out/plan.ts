import { alertRecordId, deliveryRecordId, type FailureAtWrite, isFailureAtWrite } from '@tocsin/deliveries';
import type { Window } from '../dispatch/window.js';
import type { Slot, Slots } from '../slots/slots.js';
import type { ResolvedAlert } from './resolve-alert.js';
import type { TargetWebhook } from './rules-reader.js';

/** An alert and its deliveries, as they will be written. */
export interface PlannedAlert {
  resolved: ResolvedAlert;
  recordId: string;
  deliveries: PlannedDelivery[];
}

/** One alert for one webhook. */
export interface PlannedDelivery {
  id: string;
  webhookId: string;
  webhookName: string;
  destination: string;
  /**
   * `claimed`: this worker sends it after the commit. `queued`: it is published to the queue after the commit. `waiting`:
   * it waits for the dispatcher. An error code: it is written as failed, and nothing is sent.
   */
  state: 'claimed' | 'queued' | 'waiting' | FailureAtWrite;
  /** Undefined if the webhook does not exist in the alert's workspace. */
  webhook?: TargetWebhook | undefined;
  /** Present for a claimed delivery. */
  slot?: Slot | undefined;
}

export interface PlanOptions {
  webhooks: Map<string, TargetWebhook>;
  acceptedAtMs: number;
  window: Pick<Window, 'acquire'>;
  acquireAtWrite: Slots['acquireAtWrite'];
}

/** Decides the state of each delivery, and acquires its slot or its place in the queue. */
export function planAlert(resolved: ResolvedAlert, options: PlanOptions): PlannedAlert {
  const { alert, webhookIds } = resolved;
  const { webhooks, acceptedAtMs } = options;
  return {
    resolved,
    recordId: alertRecordId(acceptedAtMs, alert),
    deliveries: webhookIds.map((webhookId) => {
      const found = webhooks.get(webhookId);
      // A rule in the message can name webhooks that do not exist, or belong to another workspace.
      const webhook = found?.workspaceId === alert.workspace_id ? found : undefined;
      return {
        id: deliveryRecordId(acceptedAtMs, alert, webhookId),
        webhookId,
        webhookName: webhook?.name ?? '',
        destination: webhook?.destination ?? '',
        webhook,
        ...placeDelivery({ workspaceId: alert.workspace_id, webhookId, webhook }, options),
      };
    }),
  };
}

/** Number of the deliveries that are written as open. */
export function countOpen({ deliveries }: PlannedAlert): number {
  return deliveries.reduce((open, { state }) => open + Number(!isFailureAtWrite(state)), 0);
}

/** Releases the slot or the place of a delivery that is not written after all. */
export function releasePlanned({ state, slot, webhookId }: PlannedDelivery, window: Window): void {
  slot?.release();
  if (state === 'queued') window.release(webhookId);
}

interface Target {
  workspaceId: string;
  webhookId: string;
  webhook: TargetWebhook | undefined;
}

function placeDelivery(
  { workspaceId, webhookId, webhook }: Target,
  { window, acquireAtWrite }: PlanOptions,
): Pick<PlannedDelivery, 'state' | 'slot'> {
  // An open row would cost the dispatcher and the other workspaces its way to the same end.
  if (webhook === undefined) return { state: 'webhook_deleted' };
  if (webhook.paused) return { state: 'waiting' };
  const slot = webhook.enabled ? acquireAtWrite({ workspaceId, webhookId }) : undefined;
  if (slot !== undefined) return { state: 'claimed', slot };
  return { state: window.acquire({ workspaceId, webhookId }) ? 'queued' : 'waiting' };
}
