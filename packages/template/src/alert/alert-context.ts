import type { TemplateContext } from '../compile-template.js';
import { Dict, type Value } from '../values/value.js';

/** Values of a fired alert that webhook bodies can use. */
export interface AlertFacts {
  readonly alert_rule_name: string;
  readonly alert_rule_id: string;
  readonly model_name: string;
  readonly model_id: string;
  readonly metric_value: number;
  readonly threshold: number;
  readonly bound: string;
  readonly alert_id: string;
  /** Time at which the alert fired, as ISO 8601 text. */
  readonly fired_at: string;
  readonly workspace_id: string;
  /** `firing` or `resolved`. */
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** True if the alert was published with `is_test`, or if it is sent to test a webhook. */
  readonly is_test: boolean;
}

/** Names of the variables that every alert sets. */
export const alertVariables = [
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
  'state',
  'labels',
  'annotations',
  'is_test',
] as const satisfies readonly (keyof AlertFacts)[];

/**
 * Values of a notice: an alert of Tocsin itself about a webhook or about dead letters. Other alerts have the values of
 * `noNotice`.
 */
export interface NoticeFacts {
  readonly event: string;
  readonly webhook_id: string;
  readonly webhook_name: string;
  /** Start of the reported state of a webhook, or time of the first counted dead letter, as ISO 8601 text. */
  readonly since: string;
  readonly error: string;
  /** Number of dead letters. */
  readonly count: number;
}

/** Values of an alert. `notice` is set only if the alert is a notice. */
export interface AlertOrNoticeFacts extends AlertFacts {
  readonly notice?: NoticeFacts | null;
}

const noNotice: NoticeFacts = {
  event: 'alert.fired',
  webhook_id: '',
  webhook_name: '',
  since: '',
  error: '',
  count: 0,
};

/** Names of the variables for notices. In other alerts, these variables have the values of `noNotice`. */
export const noticeVariables = Object.keys(noNotice) as readonly (keyof NoticeFacts)[];

/**
 * Names of the variables that are objects. Their members are the values of the first ten `alertVariables`. A member's
 * name lacks the name of its object: `model.name` is `model_name`, and `alert.threshold` is `threshold`.
 */
export const alertObjects = ['alert', 'model', 'alert_rule'] as const;

/**
 * Returns the variables of a webhook body: the values of the alert and of notices, and the objects in `alertObjects`.
 * `metric_value` and `threshold` are floats, so that 5 prints as `5.0`.
 */
export function alertContext(facts: AlertOrNoticeFacts): TemplateContext {
  return new AlertContext(facts);
}

const variables: ReadonlyMap<string, (facts: AlertOrNoticeFacts) => Value> = new Map([
  ...alertVariables.map((name) => [name, (facts: AlertFacts): Value => toValue(facts[name])] as const),
  ['alert', alertOf],
  ['model', modelOf],
  ['alert_rule', ruleOf],
  ...noticeVariables.map(
    (name) => [name, ({ notice }: AlertOrNoticeFacts) => noticeValue(notice, name)] as const,
  ),
]);

/** Converts each value only when a template reads it, because most bodies read few variables. */
class AlertContext implements TemplateContext {
  readonly #facts: AlertOrNoticeFacts;

  constructor(facts: AlertOrNoticeFacts) {
    this.#facts = facts;
  }

  get(name: string): Value | undefined {
    return variables.get(name)?.(this.#facts);
  }

  keys(): Iterable<string> {
    return variables.keys();
  }

  *[Symbol.iterator](): Iterator<[string, Value]> {
    for (const [name, make] of variables) yield [name, make(this.#facts)];
  }
}

/** Converts a value of a notice to a template value. The number `count` becomes an integer, so that 5 prints as `5`. */
function noticeValue(notice: AlertOrNoticeFacts['notice'], name: keyof NoticeFacts): Value {
  const value = (notice ?? noNotice)[name];
  return typeof value === 'number' ? BigInt(value) : value;
}

function toValue(fact: AlertFacts[keyof AlertFacts]): Value {
  return typeof fact === 'object' ? record(fact) : fact;
}

function alertOf(facts: AlertFacts): Value {
  const { alert_id, metric_value, threshold, bound, fired_at, workspace_id } = facts;
  return record({ id: alert_id, metric_value, threshold, bound, fired_at, workspace_id });
}

function modelOf({ model_id, model_name }: AlertFacts): Value {
  return record({ id: model_id, name: model_name });
}

function ruleOf({ alert_rule_id, alert_rule_name, threshold, bound }: AlertFacts): Value {
  return record({ id: alert_rule_id, name: alert_rule_name, threshold, bound });
}

function record(fields: Readonly<Record<string, string | number>>): Dict {
  const dict = new Dict();
  for (const name in fields) dict.setString(name, fields[name]!);
  return dict;
}
