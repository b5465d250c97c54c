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
  /** Id of the HTTP request that published the alert; undefined for an alert over AMQP. */
  requestId?: string | undefined;
}

type Rule = Pick<RegisteredRule, 'name' | 'threshold' | 'bound' | 'enabled' | 'deleted' | 'webhookIds'>;

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
  };
}

function embeddedRule({ alert_rule: rule }: AlertFired): Rule | undefined {
  return rule && { ...rule, deleted: false, webhookIds: rule.notification_webhook_ids };
}

function outcomeOf(rule: Rule): AlertOutcome {
  if (rule.deleted) return 'rule_deleted';
  if (!rule.enabled) return 'rule_disabled';
  return rule.webhookIds.length === 0 ? 'no_webhooks' : 'dispatched';
}
