import type { Alert, AlertOutcome } from '@tocsin/contracts';
import type { StoredAlert } from './alerts-reader.js';

/** An alert as callers see it, with the reason where nothing was delivered. */
export function presentAlert(alert: StoredAlert): Alert {
  return {
    alert_id: alert.alertId,
    workspace_id: alert.workspaceId,
    fired_at: alert.firedAt,
    accepted_at: alert.acceptedAt.toISOString(),
    alert_rule_id: alert.alertRuleId,
    alert_rule_name: alert.alertRuleName,
    model_id: alert.modelId,
    model_name: alert.modelName,
    metric_value: alert.metricValue,
    threshold: alert.threshold,
    bound: alert.bound,
    outcome: alert.outcome,
    outcome_reason: reasons[alert.outcome],
  };
}

const reasons: Record<AlertOutcome, string | null> = {
  dispatched: null,
  rule_disabled: 'Nothing was delivered: the alert rule was disabled when the alert was accepted.',
  rule_deleted: 'Nothing was delivered: the alert rule had been deleted when the alert was accepted.',
  no_webhooks:
    'Nothing was delivered: no webhook was attached to the alert rule when the alert was accepted.',
};
