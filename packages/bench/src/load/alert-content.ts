import { alertIdOf } from './alert-ids.js';

export interface AlertFacts {
  run: number;
  /** Workspace and rule of all alerts; `Fixtures` has both. */
  target: { workspaceId: string; alertRuleId: string };
}

/**
 * Returns a function from sequence number to the content of an alert-fired message. The fields that all alerts of a run
 * share are serialized once, because the generator runs on the cores that are measured.
 */
export function createAlertContent({ run, target }: AlertFacts): (sequence: number) => Buffer {
  const shared = {
    workspace_id: target.workspaceId,
    alert_rule_id: target.alertRuleId,
    fired_at: new Date().toISOString(),
    model_id: '5b0e7c4e-3d3c-4ef0-9a55-0a5f3f1c2d11',
    model_name: 'churn-prediction "eu-west"',
    threshold: 0.4,
    bound: 'upper_bound',
  };
  const sharedJson = JSON.stringify(shared).slice(1);
  return (sequence) =>
    Buffer.from(
      `{"type":"alert.fired","version":1,"alert_id":"${alertIdOf(run, sequence)}","metric_value":${0.4 + sequence / 1e6},${sharedJson}`,
    );
}
