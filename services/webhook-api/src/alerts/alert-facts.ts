import type { AlertOrNoticeFacts } from '@tocsin/template';
import type { StoredAlert } from './alerts-reader.js';

/** Returns the template variables of a stored alert, with the same values as in the deliveries of the alert. */
export function factsOf(alert: StoredAlert): AlertOrNoticeFacts {
  return {
    alert_rule_name: alert.alertRuleName,
    alert_rule_id: alert.alertRuleId,
    model_name: alert.modelName,
    model_id: alert.modelId,
    metric_value: alert.metricValue,
    threshold: alert.threshold,
    bound: alert.bound,
    alert_id: alert.alertId,
    fired_at: alert.firedAt,
    workspace_id: alert.workspaceId,
    state: alert.state,
    labels: alert.labels ?? {},
    annotations: alert.annotations ?? {},
    is_test: alert.isTest,
    notice: alert.notice,
  };
}
