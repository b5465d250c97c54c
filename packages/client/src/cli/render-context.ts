import { sampleContext, type TemplateContext } from '@tocsin/template';

/**
 * Returns the context of a template: the sample values, and the values in `given`, which replace sample values of the
 * same name. `given` is an alert-fired message or an object with variables.
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
 * Converts an alert-fired message to the template variables that a worker would create. The threshold and the bound of
 * the message have precedence over those in its `alert_rule`. A missing state is `firing`. Missing labels and
 * annotations are empty.
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
