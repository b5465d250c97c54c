import {
  type AlertFacts,
  alertContext,
  fromJson,
  type Json,
  sampleFacts,
  type TemplateContext,
} from '@tocsin/template';

/**
 * What a template sees when it is tried: sample values of the ten variables, and over them what is given. One of the
 * ten that is given with its own type is treated as at a real firing: its number is a float, and `alert`, `model` and
 * `alert_rule` hold it too.
 */
export function sampleContext(given: Readonly<Record<string, unknown>>): TemplateContext {
  const entries = Object.entries(given);
  const facts = entries.filter(([name, value]) => isFact(name, value));
  const context = alertContext({ ...sampleFacts, ...Object.fromEntries(facts) });
  const others = entries.filter(([name, value]) => !isFact(name, value));
  return new Map([...context, ...others.map(([name, value]) => [name, fromJson(value as Json)] as const)]);
}

function isFact(name: string, value: unknown): boolean {
  return Object.hasOwn(sampleFacts, name) && typeof value === typeof sampleFacts[name as keyof AlertFacts];
}
