import type { TemplateContext } from '../compile-template.js';
import { fromJson, type Json } from '../values/from-json.js';
import { type AlertFacts, alertContext } from './alert-context.js';
import { sampleFacts } from './sample-facts.js';

/**
 * Returns the variables of an example alert, with the values of `given` in place of those of `facts`. If a given value
 * has the type of the example's value, it is used as in a real alert: a number becomes a float, and the objects
 * `alert`, `model` and `alert_rule` contain it too. Other given values keep their JSON type.
 */
export function sampleContext(
  given: Readonly<Record<string, unknown>>,
  facts: AlertFacts = sampleFacts,
): TemplateContext {
  const entries = Object.entries(given);
  const overrides = entries.filter(([name, value]) => isFact(name, value));
  const others = entries.filter(([name, value]) => !isFact(name, value));
  const context = alertContext({ ...facts, ...Object.fromEntries(overrides) });
  return new Map([...context, ...others.map(([name, value]) => [name, fromJson(value as Json)] as const)]);
}

/**
 * Returns false for labels and annotations too: they are in no object such as `alert`, so they are converted as JSON.
 */
function isFact(name: string, value: unknown): boolean {
  if (typeof value === 'object' || !Object.hasOwn(sampleFacts, name)) return false;
  return typeof value === typeof sampleFacts[name as keyof AlertFacts];
}
