import type { TemplateContext } from '../compile-template.js';
import { fromJson, type Json } from '../values/from-json.js';
import { type AlertFacts, type AlertOrNoticeFacts, alertContext } from './alert-context.js';
import { sampleFacts } from './sample-facts.js';

/**
 * Returns the variables of a sample alert, in which the values of `given` replace those of `facts`. If a given value
 * has the type of its variable in real alerts, it is used as in a real alert: a number becomes a float, and the
 * members of `alert`, `model` and `alert_rule` for this variable change too. Other given values keep their JSON type.
 */
export function sampleContext(
  given: Readonly<Record<string, unknown>>,
  facts: AlertOrNoticeFacts = sampleFacts,
): TemplateContext {
  const entries = Object.entries(given);
  const overrides = entries.filter(([name, value]) => isFact(name, value));
  const others = entries.filter(([name, value]) => !isFact(name, value));
  const context = alertContext({ ...facts, ...Object.fromEntries(overrides) });
  return new Map([...context, ...others.map(([name, value]) => [name, fromJson(value as Json)] as const)]);
}

/**
 * Returns true if a given value can replace a value of the alert. Returns false for labels and annotations: no object
 * such as `alert` contains them, so they are converted from JSON like other given values.
 */
function isFact(name: string, value: unknown): boolean {
  if (typeof value === 'object' || !Object.hasOwn(sampleFacts, name)) return false;
  return typeof value === typeof sampleFacts[name as keyof AlertFacts];
}
