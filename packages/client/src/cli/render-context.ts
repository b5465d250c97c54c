import { sampleContext, type TemplateContext } from '@tocsin/template';

/**
 * Returns the context of a template. It has the sample values. The values in `given`, which is an alert-fired message
 * or an object with variables, replace sample values of the same name.
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
 * Converts an alert-fired message to the template variables that a worker would create. Threshold and bound of the
 * message have precedence over those of its rule. A missing state, missing labels and missing annotations get their
 * defaults.
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
