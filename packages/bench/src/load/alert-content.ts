import { alertIdOf } from './alert-ids.js';

/** What every alert of a run has in common. */
export interface AlertTemplate {
  run: number;
  workspaceId: string;
  alertRuleId: string;
}

/** An alert-fired message; the same sequence is the same alert, however often it is offered. */
export function contentOf({ run, workspaceId, alertRuleId }: AlertTemplate, sequence: number): string {
  return JSON.stringify({
    type: 'alert.fired',
    version: 1,
    alert_id: alertIdOf(run, sequence),
    workspace_id: workspaceId,
    alert_rule_id: alertRuleId,
    fired_at: new Date().toISOString(),
    model_id: '5b0e7c4e-3d3c-4ef0-9a55-0a5f3f1c2d11',
    model_name: 'churn-prediction "eu-west"',
    metric_value: 0.4 + sequence / 1e6,
    threshold: 0.4,
    bound: 'upper_bound',
  });
}
