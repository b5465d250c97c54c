import type { AlertFired, AlertOutcome, Bound } from '@tocsin/contracts';
import {
  alertRecordId,
  deliveryRecordId,
  type FailureAtWrite,
  isFailureAtWrite,
  isNoticeRule,
  type OpenDeliveryCounts,
  type WebhookInWorkspace,
} from '@tocsin/deliveries';
import type { Span } from '@tocsin/kit';
import type { Window } from '../dispatch/window.js';
import type { Slot, Slots } from '../slots/slots.js';
import type { RegisteredRule, TargetWebhook } from './rules-reader.js';

/** An alert with the values of its rule. */
export interface ResolvedAlert {
  alert: AlertFired;
  ruleName: string;
  threshold: number;
  bound: Bound;
  outcome: AlertOutcome;
  /** Webhooks to call; empty if the outcome is not `dispatched`. */
  webhookIds: string[];
  /**
   * Webhooks that are stored with the alert for a dispatch by hand; null if none are stored. They are used only if the
   * rule is not registered.
   */
  storedWebhookIds: string[] | null;
  /**
   * True if the cooldown of the rule can suppress the alert. The statement that writes the alert checks the cooldown.
   */
  cooldownApplies: boolean;
  /**
   * Id for the logs, from the header `x-request-id` of the alert's message: the id of the HTTP request that published
   * the alert, or an id that the publisher over AMQP has chosen. Undefined if the message has no such header.
   */
  requestId?: string | undefined;
  /**
   * Id of the principal that published the alert over REST; undefined if the alert was published over AMQP, or if the
   * message header with the id cannot be decrypted.
   */
  publishedBy?: string | undefined;
  /** Span of the fan-out of this alert; undefined if tracing is off. */
  span?: Span | undefined;
}

type Rule = Omit<RegisteredRule, 'id' | 'workspaceId'>;

/**
 * Determines the webhooks and the outcome of an alert. The rule in the message is used only if no rule with its id was
 * ever registered. Returns undefined for an alert that must not be accepted: its rule belongs to another workspace, it
 * has no rule at all, or its rule is a built-in one, which publishers must not use. The threshold and bound of the
 * alert take precedence over those of the rule, because they are the values at the time of firing.
 */
export function resolveAlert(
  alert: AlertFired,
  registered: RegisteredRule | undefined,
): ResolvedAlert | undefined {
  if (registered !== undefined && registered.workspaceId !== alert.workspace_id) return undefined;
  const rule: Rule | undefined = registered ?? embeddedRule(alert);
  if (rule === undefined || isNoticeRule(alert.alert_rule_id)) return undefined;
  const outcome = outcomeOf(rule);
  return {
    alert,
    ruleName: rule.name,
    threshold: alert.threshold ?? rule.threshold,
    bound: alert.bound ?? rule.bound,
    outcome,
    webhookIds: outcome === 'dispatched' ? [...new Set(rule.webhookIds)] : [],
    storedWebhookIds: registered === undefined && outcome === 'rule_disabled' ? rule.webhookIds : null,
    cooldownApplies: rule.hasCooldown && outcome === 'dispatched' && alert.state !== 'resolved',
  };
}

function embeddedRule({ alert_rule: rule }: AlertFired): Rule | undefined {
  if (rule === undefined) return undefined;
  const { name, threshold, bound, enabled, notification_webhook_ids: webhookIds } = rule;
  return { name, threshold, bound, enabled, webhookIds, deleted: false, silenced: false, hasCooldown: false };
}

function outcomeOf(rule: Rule): AlertOutcome {
  if (rule.deleted) return 'rule_deleted';
  if (!rule.enabled) return 'rule_disabled';
  if (rule.silenced) return 'suppressed';
  return rule.webhookIds.length === 0 ? 'no_webhooks' : 'dispatched';
}

/** An alert and its deliveries as they will be written. */
export interface PlannedAlert {
  resolved: ResolvedAlert;
  recordId: string;
  deliveries: PlannedDelivery[];
}

/** The delivery of one alert to one webhook. */
export interface PlannedDelivery {
  id: string;
  webhookId: string;
  webhookName: string;
  destination: string;
  /**
   * - `claimed`: this worker sends the delivery after the commit.
   * - `queued`: its id is published to the queue after the commit.
   * - `waiting`: it waits for the dispatcher.
   * - an error code: it is written as failed and not sent.
   */
  state: 'claimed' | 'queued' | 'waiting' | FailureAtWrite;
  /** The webhook to call; undefined if it does not exist in the workspace of the alert. */
  webhook?: TargetWebhook | undefined;
  /** Slot for the request; present if the state is `claimed`. */
  slot?: Slot | undefined;
}

export interface PlanOptions {
  webhooks: Map<string, TargetWebhook>;
  acceptedAtMs: number;
  openDeliveries: Pick<OpenDeliveryCounts, 'workspaceFill' | 'webhookFill' | 'writing'>;
  window: Pick<Window, 'acquire'>;
  acquireAtWrite: Slots['acquireAtWrite'];
}

/**
 * Plans the state of each delivery of an alert, and acquires its slot or its place in the queue. An alert of a
 * workspace that has reached its limit on open deliveries gets no deliveries.
 */
export function planAlert(fired: ResolvedAlert, options: PlanOptions): PlannedAlert {
  const resolved = applyWorkspaceLimit(fired, options);
  const { alert, webhookIds } = resolved;
  const { webhooks, acceptedAtMs } = options;
  return {
    resolved,
    recordId: alertRecordId(acceptedAtMs, alert),
    deliveries: webhookIds.map((webhookId) => {
      const found = webhooks.get(webhookId);
      // A rule in a message can name webhooks that do not exist or belong to another workspace.
      const webhook = found?.workspaceId === alert.workspace_id ? found : undefined;
      const { state, slot } = placeDelivery({ workspaceId: alert.workspace_id, webhookId, webhook }, options);
      return {
        id: deliveryRecordId(acceptedAtMs, alert, webhookId),
        webhookId,
        webhookName: webhook?.name ?? '',
        destination: webhook?.destination ?? '',
        state,
        webhook,
        slot,
      };
    }),
  };
}

/** Lists the planned deliveries that are written as open. */
export function openOf(alerts: PlannedAlert[]): WebhookInWorkspace[] {
  const open: WebhookInWorkspace[] = [];
  for (const { resolved, deliveries } of alerts)
    for (const { state, webhookId } of deliveries)
      if (!isFailureAtWrite(state)) open.push({ workspaceId: resolved.alert.workspace_id, webhookId });
  return open;
}

/** Releases the slot or the place in the queue of a planned delivery that is not written. */
export function releasePlanned({ state, slot, webhookId }: PlannedDelivery, window: Window): void {
  slot?.release();
  if (state === 'queued') window.release(webhookId);
}

function applyWorkspaceLimit(resolved: ResolvedAlert, { openDeliveries }: PlanOptions): ResolvedAlert {
  const { alert, outcome, webhookIds } = resolved;
  if (outcome !== 'dispatched' || openDeliveries.workspaceFill(alert.workspace_id) < 1) return resolved;
  return { ...resolved, outcome: 'over_quota', webhookIds: [], storedWebhookIds: webhookIds };
}

interface Target {
  workspaceId: string;
  webhookId: string;
  webhook: TargetWebhook | undefined;
}

function placeDelivery(
  target: Target,
  { openDeliveries, window, acquireAtWrite }: PlanOptions,
): Pick<PlannedDelivery, 'state' | 'slot'> {
  const { webhook } = target;
  // A delivery that must fail is written as failed at once. If it were written as open, a worker would have to claim it
  // first, which would delay other deliveries.
  if (webhook === undefined) return { state: 'webhook_deleted' };
  if (openDeliveries.webhookFill(target) >= 1) return { state: 'over_quota' };
  openDeliveries.writing(target);
  if (webhook.mustWait) return { state: 'waiting' };
  const slot = webhook.enabled ? acquireAtWrite(target) : undefined;
  if (slot !== undefined) return { state: 'claimed', slot };
  return { state: window.acquire(target) ? 'queued' : 'waiting' };
}
