import { sampleContext, type TemplateContext } from '@tocsin/template';

/**
 * Context of a template: sample values, overridden by the given alert-fired message or template variables.
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
 * Threshold and bound of the message win over those of its rule, and a missing state, labels and annotations have their
 * defaults, as in a delivery.
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
