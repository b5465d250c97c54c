import type { FromSchema } from 'json-schema-to-ts';
import { time, uuid, uuidOrNull } from './common-schemas.js';

/** Actions in the audit log, each with the type of the changed resource. */
export const auditActions = {
  'webhook.created': 'webhook',
  'webhook.updated': 'webhook',
  'webhook.deleted': 'webhook',
  'signing_secret.created': 'webhook',
  'signing_secret.deleted': 'webhook',
  'alert_rule.created': 'alert_rule',
  'alert_rule.updated': 'alert_rule',
  'alert_rule.deleted': 'alert_rule',
  'workspace_settings.updated': 'workspace_settings',
  'delivery.redelivered': 'delivery',
  'delivery.cancelled': 'delivery',
  'alert.dispatched': 'alert',
  'redelivery.created': 'redelivery',
  'redelivery.cancelled': 'redelivery',
  'dispatch.created': 'dispatch',
  'dispatch.cancelled': 'dispatch',
  'cancellation.created': 'cancellation',
  'cancellation.cancelled': 'cancellation',
  'dead_letter.requeued': 'dead_letter',
  'api_key.created': 'api_key',
  'api_key.deactivated': 'api_key',
} as const;

export type AuditAction = keyof typeof auditActions;
type AuditedType = (typeof auditActions)[AuditAction];

/** Schema of an action, in audit events and in the filter `action`. */
export const auditAction = { type: 'string', enum: Object.keys(auditActions) as AuditAction[] } as const;

export const auditEventSchema = {
  title: 'AuditEvent',
  description:
    'A change: its author, its time, and the names of the changed fields. Values are not recorded.',
  type: 'object',
  additionalProperties: false,
  properties: {
    id: uuid,
    time,
    workspace_id: {
      ...uuidOrNull,
      description: 'Null for an engine key, and for a dead letter whose message names no workspace.',
    },
    principal: {
      type: 'string',
      description: 'Issuer and subject of the caller, or `system` for an automatic change.',
      examples: ['https://login.example.com/realms/tocsin#3f0c1f9e'],
    },
    principal_name: { type: 'string', description: 'Display name of the caller at the time of the change.' },
    action: auditAction,
    resource_type: { type: 'string', enum: [...new Set(Object.values(auditActions))] as AuditedType[] },
    resource_id: {
      ...uuid,
      description:
        'For a signing secret the id of its webhook, for an alert its alert_id, for settings the id of the workspace.',
    },
    changed_fields: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of the fields that an update has changed. Empty for other actions.',
    },
    request_id: {
      type: ['string', 'null'],
      description: '`X-Request-Id` of the request; null for an automatic change.',
    },
  },
  required: [
    'id',
    'time',
    'workspace_id',
    'principal',
    'principal_name',
    'action',
    'resource_type',
    'resource_id',
    'changed_fields',
    'request_id',
  ],
} as const;

export type AuditEvent = FromSchema<typeof auditEventSchema>;
