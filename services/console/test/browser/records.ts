import type { AlertRule, CreateAlertRule, CreateWebhook, PublishAlert } from '@tocsin/client';
import type { BrowserStack } from './stack.js';

/**
 * Creates a webhook that calls `path` at the inbox, which is the test destination of the stack. Returns the webhook's
 * id.
 */
export async function createWebhook(
  { api, inbox_url }: BrowserStack,
  { path, ...webhook }: { name: string; path: string } & Partial<CreateWebhook>,
): Promise<string> {
  const { id } = await api.webhooks.create({ url: `${inbox_url}${path}`, body: '{"a": 1}', ...webhook });
  return id;
}

/** Creates an alert rule that calls the webhook. */
export function createRule(
  { api }: BrowserStack,
  webhookId: string,
  rule: { name: string } & Partial<CreateAlertRule>,
): Promise<AlertRule> {
  return api.alertRules.create({
    model_id: webhookId,
    threshold: 1,
    bound: 'upper_bound',
    notification_webhook_ids: [webhookId],
    ...rule,
  });
}

/** Fires an alert of the rule, and returns its id. */
export async function fire(
  { api }: BrowserStack,
  rule: string,
  facts: Partial<PublishAlert> = {},
): Promise<string> {
  const alert = { alert_rule_id: rule, model_id: rule, model_name: 'churn', metric_value: 2, ...facts };
  return (await api.alerts.fire(alert)).alert_id;
}
