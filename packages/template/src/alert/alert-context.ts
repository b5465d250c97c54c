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
  const { metric_value, threshold, bound, fired_at, workspace_id } = facts;
  return new Map<string, Value>([
    ...ALERT_VARIABLES.map((name): [string, Value] => [name, facts[name]]),
    ['alert', record({ id: facts.alert_id, metric_value, threshold, bound, fired_at, workspace_id })],
    ['model', record({ id: facts.model_id, name: facts.model_name })],
    ['alert_rule', record({ id: facts.alert_rule_id, name: facts.alert_rule_name, threshold, bound })],
  ]);
}

function record(fields: Readonly<Record<string, string | number>>): Dict {
  return Dict.fromStrings(Object.entries(fields));
}
