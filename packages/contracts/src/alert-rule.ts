import type { FromSchema } from 'json-schema-to-ts';
import {
  bound,
  externalIdOrNull,
  lastUpdatedBy,
  maxWebhookIds,
  time,
  timeOrNull,
  uuid,
} from './common-schemas.js';

const writable = {
  name: { type: 'string', minLength: 1, maxLength: 255 },
  external_id: externalIdOrNull,
  model_id: uuid,
  threshold: { type: 'number' },
  bound,
  enabled: { type: 'boolean', description: 'Alerts of a disabled rule are not delivered. Default: true.' },
  cooldown_seconds: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    description:
      'Number of seconds after a dispatched alert in which further firing alerts are suppressed. Resolved alerts are not suppressed. Default: 0.',
  },
  silenced_until: {
    ...timeOrNull,
    description: 'All alerts accepted before this time are suppressed. Default: null.',
  },
  notification_webhook_ids: {
    type: 'array',
    items: uuid,
    maxItems: 1000,
    description: `Ids of webhooks of the workspace to call when the rule fires. Duplicates are removed. At most ${maxWebhookIds} different ids.`,
  },
} as const;

const example = {
  name: 'Accuracy below target',
  model_id: 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11',
  threshold: 0.9,
  bound: 'lower_bound',
} as const;

export const createAlertRuleSchema = {
  title: 'CreateAlertRule',
  type: 'object',
  additionalProperties: false,
  properties: writable,
  required: ['name', 'model_id', 'threshold', 'bound'],
  examples: [example],
} as const;

export const patchAlertRuleSchema = {
  title: 'PatchAlertRule',
  description: 'Any of the writable fields. A given notification_webhook_ids replaces the whole list.',
  type: 'object',
  additionalProperties: false,
  properties: writable,
  examples: [{ threshold: 0.85 }],
} as const;

export const alertRuleSchema = {
  title: 'AlertRule',
  type: 'object',
  additionalProperties: false,
  properties: {
    id: uuid,
    workspace_id: uuid,
    ...writable,
    created_at: time,
    updated_at: time,
    last_updated_by: lastUpdatedBy,
  },
  required: [
    'id',
    'workspace_id',
    'name',
    'external_id',
    'model_id',
    'threshold',
    'bound',
    'enabled',
    'cooldown_seconds',
    'silenced_until',
    'notification_webhook_ids',
    'created_at',
    'updated_at',
    'last_updated_by',
  ],
  examples: [{ ...example, notification_webhook_ids: ['1f2e3d4c-5b6a-4978-8695-a4b3c2d1e0f9'] }],
} as const;

export type CreateAlertRule = FromSchema<typeof createAlertRuleSchema>;
export type PatchAlertRule = FromSchema<typeof patchAlertRuleSchema>;
export type AlertRule = FromSchema<typeof alertRuleSchema>;
