import type { AlertOrNoticeFacts } from '@tocsin/template';
import type { StoredAlert } from './alerts-reader.js';

/** Returns the template variables of a stored alert, with the same values as in the deliveries of the alert. */
export function factsOf(alert: StoredAlert) {
  return {
    alert_id: alert.alertId,
    workspace_id: alert.workspaceId,
    fired_at: alert.firedAt,
    alert_rule_id: alert.alertRuleId,
    alert_rule_name: alert.alertRuleName,
    model_id: alert.modelId,
    model_name: alert.modelName,
    metric_value: alert.metricValue,
    threshold: alert.threshold,
    bound: alert.bound,
    state: alert.state,
    labels: alert.labels ?? {},
    annotations: alert.annotations ?? {},
    is_test: alert.isTest,
    notice: alert.notice,
  } satisfies AlertOrNoticeFacts;
}
