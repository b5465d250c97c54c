import type { TemplateContext } from '../compile-template.js';
import { fromJson, type Json } from '../values/from-json.js';
import { type AlertFacts, alertContext } from './alert-context.js';
import { sampleFacts } from './sample-facts.js';

/**
 * The variables of an example alert, `sampleFacts` unless `facts` are given, overridden by `given` values. A given variable
 * that has the type of its sample is used as in a real alert: a number becomes a float, and the objects `alert`, `model` and
 * `alert_rule` contain it too. Other given values keep their JSON type.
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

/** Labels and annotations are in no other object, so they need no conversion beyond that of JSON. */
function isFact(name: string, value: unknown): boolean {
  if (typeof value === 'object' || !Object.hasOwn(sampleFacts, name)) return false;
  return typeof value === typeof sampleFacts[name as keyof AlertFacts];
}
