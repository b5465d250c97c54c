import type { AuditEvent } from '@tocsin/client/browser';

/** For each action in the audit events, the label that the console shows. */
export const auditActionWords: Readonly<Record<AuditEvent['action'], string>> = {
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'signing_secret.created': 'Signing secret created',
  'signing_secret.deleted': 'Signing secret deleted',
  'alert_rule.created': 'Alert rule created',
  'alert_rule.updated': 'Alert rule changed',
  'alert_rule.deleted': 'Alert rule deleted',
  'workspace_settings.updated': 'Settings changed',
  'delivery.redelivered': 'Delivery redelivered',
  'delivery.cancelled': 'Delivery cancelled',
  'alert.dispatched': 'Alert dispatched by hand',
  'redelivery.created': 'Bulk redelivery started',
  'redelivery.cancelled': 'Bulk redelivery cancelled',
  'dispatch.created': 'Bulk dispatch started',
  'dispatch.cancelled': 'Bulk dispatch cancelled',
  'cancellation.created': 'Bulk cancellation started',
  'cancellation.cancelled': 'Bulk cancellation stopped',
  'dead_letter.requeued': 'Dead letter requeued',
  'api_key.created': 'Engine key created',
  'api_key.deactivated': 'Engine key deactivated',
};
