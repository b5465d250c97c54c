import { alertIdOf, unknownIds } from './alert-ids.js';

export interface AlertFacts {
  run: number;
  /** Ids of the workspace and the rule of all alerts. A caller can pass a value of type `Fixtures`. */
  target: { workspaceId: string; alertRuleId: string };
  /**
   * Number of webhooks that the member `alert_rule` of each alert names, at most 20. The webhooks do not exist, and no
   * two alerts name the same ones. By default, the alerts have no `alert_rule`.
   */
  unknownWebhooks?: number;
}

/**
 * Returns a function that creates the content of an alert-fired message from a sequence number. The fields that all
 * alerts of a run share are serialized once, because the generator runs on the same cores as the measured processes.
 */
export function createAlertContent({
  run,
  target,
  unknownWebhooks = 0,
}: AlertFacts): (sequence: number) => Buffer {
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
  const ruleOf = (sequence: number) =>
    unknownWebhooks === 0 ? '' : `"alert_rule":${JSON.stringify(embeddedRule(sequence))},`;
  const embeddedRule = (sequence: number) => ({
    name: 'not registered',
    enabled: true,
    threshold: shared.threshold,
    bound: shared.bound,
    notification_webhook_ids: unknownIds({ run, sequence, count: unknownWebhooks }),
  });
  return (sequence) =>
    Buffer.from(
      `{"type":"alert.fired","version":1,"alert_id":"${alertIdOf(run, sequence)}","metric_value":${0.4 + sequence / 1e6},${ruleOf(sequence)}${sharedJson}`,
    );
}
