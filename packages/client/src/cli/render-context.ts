import { sampleContext, type TemplateContext } from '@tocsin/template';

/**
 * Returns the context of a template: the sample values, replaced by the values of an alert-fired message or by given
 * variables.
 */
export function renderContext(given: Record<string, unknown>): TemplateContext {
  return sampleContext(isMessage(given) ? fromMessage(given) : given);
}

interface Message extends Record<string, unknown> {
  alert_rule: { name: string; threshold?: unknown; bound?: unknown };
}

function isMessage(given: Record<string, unknown>): given is Message {
  const { alert_rule: rule } = given;
  return !('alert_rule_name' in given) && typeof rule === 'object' && rule !== null && 'name' in rule;
}

/**
 * Converts an alert-fired message to template variables, as a worker does. Threshold and bound of the message have
 * precedence over those of its rule. A missing state, missing labels and missing annotations get their defaults.
 */
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
    state: 'firing',
    labels: {},
    annotations: {},
    ...message,
  };
}
