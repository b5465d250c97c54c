import type { AlertFired, AlertOutcome, Bound } from '@tocsin/contracts';
import type { RegisteredRule } from './rules-reader.js';

/** What an alert means, once its rule is known. */
export interface ResolvedAlert {
  alert: AlertFired;
  ruleName: string;
  threshold: number;
  bound: Bound;
  outcome: AlertOutcome;
  /** The webhooks to call; empty unless the outcome is `dispatched`. */
  webhookIds: string[];
  /** Of the request that it came by, where it came by one. */
  requestId?: string | undefined;
}

type Rule = Pick<RegisteredRule, 'name' | 'threshold' | 'bound' | 'enabled' | 'deleted' | 'webhookIds'>;

/**
 * Decides what an alert sets off (contract §4): a registered rule decides name, enabled and webhooks; the message's
 * threshold and bound win, for they are as at firing; the message's own rule counts only where none was ever
 * registered. Undefined where no rule of that id can be found in the alert's workspace.
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
