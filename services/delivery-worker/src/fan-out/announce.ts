import type { DeliveryDue } from '@tocsin/contracts';
import type { Logger } from '@tocsin/kit';
import type { Claimed } from '../delivery/claimed.js';
import type { Window } from '../dispatch/window.js';
import type { Slot } from '../slots/slots.js';
import type { FanOutMetrics } from './fan-out-metrics.js';
import { giveBack, type PlacedDelivery, type Plan } from './plan.js';
import type { ResolvedAlert } from './resolve-alert.js';
import type { Written } from './write-until-answered.js';

export interface AnnounceDeps {
  /** Publishes deliveries that were just written as queued; failing is not lost, the dispatcher will do it. */
  publish: (deliveries: DeliveryDue[]) => void;
  /** Carries out deliveries that were written as claimed; failing is not lost either, their leases run out. */
  begin: (claimed: Claimed, slot: Slot) => void;
  /** The same where it is not known whether this worker wrote them: they are claimed by the token that may stand there. */
  beginUncertain: (deliveries: { due: DeliveryDue; slot: Slot }[], token: string) => void;
  window: Window;
  logger: Logger;
  metrics: FanOutMetrics;
}

/** After the commit: tells of each alert, begins what is ours, publishes what is queued. */
export function announce(plans: Plan[], written: Written, deps: AnnounceDeps): void {
  const due: DeliveryDue[] = [];
  const uncertain: { due: DeliveryDue; slot: Slot }[] = [];
  for (const plan of plans) {
    for (const target of plan.deliveries) {
      const { id, slot, state } = target;
      if (!written.ids.has(id)) giveBack(target, deps.window);
      else if (state === 'queued') due.push({ deliveryId: id, run: 1 });
      else if (slot === undefined) continue;
      else if (written.isCertain) deps.begin(firstClaim(plan.resolved, target, written.leaseEndsAtMs), slot);
      else uncertain.push({ due: { deliveryId: id, run: 1 }, slot });
    }
    tell(plan, written, deps);
  }
  if (due.length > 0) deps.publish(due);
  if (uncertain.length > 0) deps.beginUncertain(uncertain, written.token);
}

function tell({ resolved, recordId, deliveries }: Plan, written: Written, { logger, metrics }: AnnounceDeps) {
  const { alert, outcome, requestId } = resolved;
  const { alert_id, workspace_id, alert_rule_id } = alert;
  const webhooks = deliveries.length;
  if (!written.ids.has(recordId)) {
    // Its key was taken: counted and told when it was first seen.
    logger.debug({ request_id: requestId, alert_id, workspace_id, alert_rule_id }, 'alert.repeated');
    return;
  }
  metrics.alertFannedOut({ outcome, webhooks });
  logger.info(
    { request_id: requestId, alert_id, workspace_id, alert_rule_id, outcome, webhooks },
    'alert.fanned_out',
  );
}

/** What a claim would have read, for a row that was written as claimed. */
function firstClaim(
  resolved: ResolvedAlert,
  { id, webhookId, webhook }: PlacedDelivery,
  leaseEndsAtMs: number,
): Claimed {
  const { alert, ruleName, threshold, bound, requestId } = resolved;
  return {
    deliveryId: id,
    run: 1,
    claim: 1,
    claimsWithoutOutcome: 1,
    step: 0,
    ageMs: 0,
    manual: false,
    workspaceId: alert.workspace_id,
    webhookId,
    requestId: requestId ?? null,
    facts: {
      alert_id: alert.alert_id,
      alert_rule_id: alert.alert_rule_id,
      alert_rule_name: ruleName,
      model_id: alert.model_id,
      model_name: alert.model_name,
      metric_value: alert.metric_value,
      threshold,
      bound,
      fired_at: alert.fired_at,
      workspace_id: alert.workspace_id,
    },
    webhook,
    hold: undefined,
    leaseEndsAtMs,
  };
}
