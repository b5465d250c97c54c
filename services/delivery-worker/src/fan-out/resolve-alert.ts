import type { AlertFired, AlertOutcome, Bound } from '@tocsin/contracts';
import type { RegisteredRule } from './rules-reader.js';

/** An alert with the values of its rule. */
export interface ResolvedAlert {
  alert: AlertFired;
  ruleName: string;
  threshold: number;
  bound: Bound;
  outcome: AlertOutcome;
  /** The webhooks to call; empty unless the outcome is `dispatched`. */
  webhookIds: string[];
  /** Webhooks that are stored with the alert, for a dispatch by hand; null if its rule will name them. */
  storedWebhookIds: string[] | null;
  /** True if the cooldown of the rule applies: it is decided in the commit. */
  cools: boolean;
  /** Id of the HTTP request that published the alert; undefined for an alert over AMQP. */
  requestId?: string | undefined;
}

type Rule = Omit<RegisteredRule, 'id' | 'workspaceId'>;

/**
 * Decides which webhooks an alert calls. A registered rule supplies name, enabled and webhooks; threshold and bound of
 * the message take precedence, because they are the values at the time of firing. The rule in the message applies only if
 * none with its id was ever registered. Undefined if the workspace has no rule with this id.
 */
export function resolveAlert(
  alert: AlertFired,
  registered: RegisteredRule | undefined,
): ResolvedAlert | undefined {
  if (registered !== undefined && registered.workspaceId !== alert.workspace_id) return undefined;
  const rule: Rule | undefined = registered ?? embeddedRule(alert);
  if (rule === undefined) return undefined;
  const outcome = outcomeOf(rule);
  return {
    alert,
    ruleName: rule.name,
    threshold: alert.threshold ?? rule.threshold,
    bound: alert.bound ?? rule.bound,
    outcome,
    webhookIds: outcome === 'dispatched' ? [...new Set(rule.webhookIds)] : [],
    storedWebhookIds: registered === undefined && outcome === 'rule_disabled' ? rule.webhookIds : null,
    cools: rule.hasCooldown && outcome === 'dispatched' && alert.state !== 'resolved',
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
