import type { TemplateContext } from '../compile-template.js';
import { Dict } from '../values/dict.js';
import type { Value } from '../values/value.js';

/** What is known of a fired alert when its webhooks' bodies are rendered. */
export interface AlertFacts {
  readonly alert_rule_name: string;
  readonly alert_rule_id: string;
  readonly model_name: string;
  readonly model_id: string;
  readonly metric_value: number;
  readonly threshold: number;
  readonly bound: string;
  readonly alert_id: string;
  /** ISO 8601. */
  readonly fired_at: string;
  readonly workspace_id: string;
}

/** The ten variables by name. */
export const ALERT_VARIABLES = [
  'alert_rule_name',
  'alert_rule_id',
  'model_name',
  'model_id',
  'metric_value',
  'threshold',
  'bound',
  'alert_id',
  'fired_at',
  'workspace_id',
] as const satisfies readonly (keyof AlertFacts)[];

/**
 * What a webhook's body sees: the ten variables, and the same facts as `alert`, `model` and `alert_rule`.
 * `metric_value` and `threshold` are floats, so that a whole one prints as `5.0`.
 */
export function alertContext(facts: AlertFacts): TemplateContext {
  const { alert_rule_name, alert_rule_id, model_name, model_id, metric_value } = facts;
  const { threshold, bound, alert_id, fired_at, workspace_id } = facts;
  const context = new Map<string, Value>();
  for (const name of ALERT_VARIABLES) context.set(name, facts[name]);
  context.set('alert', record({ id: alert_id, metric_value, threshold, bound, fired_at, workspace_id }));
  context.set('model', record({ id: model_id, name: model_name }));
  context.set('alert_rule', record({ id: alert_rule_id, name: alert_rule_name, threshold, bound }));
  return context;
}

function record(fields: Readonly<Record<string, string | number>>): Dict {
  const dict = new Dict();
  for (const name in fields) dict.setString(name, fields[name]!);
  return dict;
}
