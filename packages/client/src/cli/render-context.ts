import {
  type AlertFacts,
  alertContext,
  fromJson,
  type Json,
  sampleFacts,
  type TemplateContext,
} from '@tocsin/template';

/**
 * Context of a template: sample values, overridden by the given alert-fired message or template variables.
 */
export function renderContext(given: Record<string, unknown>): TemplateContext {
  const values = isMessage(given) ? fromMessage(given) : given;
  const facts = Object.entries(values).filter(([name, value]) => isFact(name, value));
  const context = alertContext({ ...sampleFacts, ...Object.fromEntries(facts) });
  const others = Object.entries(values).filter(([name, value]) => !isFact(name, value));
  return new Map([...context, ...others.map(([name, value]) => [name, fromJson(value as Json)] as const)]);
}

/** Only the variables with a value of the right type. Their numbers are floats, as in a real alert. */
function isFact(name: string, value: unknown): boolean {
  return Object.hasOwn(sampleFacts, name) && typeof value === typeof sampleFacts[name as keyof AlertFacts];
}

interface Message extends Record<string, unknown> {
  alert_rule: { name: string; threshold?: unknown; bound?: unknown };
}

function isMessage(given: Record<string, unknown>): given is Message {
  const { alert_rule: rule } = given;
  return !('alert_rule_name' in given) && typeof rule === 'object' && rule !== null && 'name' in rule;
}

/** Threshold and bound of the message win over those of its rule, as in a delivery. */
function fromMessage({
  alert_rule,
  type: _type,
  version: _version,
  ...message
}: Message): Record<string, unknown> {
  const { name: alert_rule_name, threshold, bound } = alert_rule;
  return {
    alert_rule_name,
    ...(threshold !== undefined && { threshold }),
    ...(bound !== undefined && { bound }),
    ...message,
  };
}
