import { problemSchema } from '@tocsin/kit';
import type { FromSchema } from 'json-schema-to-ts';
import { alertAnnotations, alertFiredProperties, alertLabels, alertStates } from './alert-fired.js';
import { bound, count, time, timeOrNull, uuid, uuidOrNull } from './common-schemas.js';
import { deliverySchema } from './delivery.js';
import { alertOutcomes, suppressions } from './vocabulary.js';

/**
 * Schema of an alert that is published over REST. It differs from the alert-fired message in two ways: unknown members
 * are rejected, and members that the path or the service supplies are optional.
 */
export const publishAlertSchema = {
  title: 'PublishAlert',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...alertFiredProperties,
    alert_rule: { ...alertFiredProperties.alert_rule, additionalProperties: false },
  },
  required: ['alert_rule_id', 'model_id', 'model_name', 'metric_value'],
  examples: [
    {
      alert_rule_id: '3b1f6a52-8d0e-4c4a-9a57-0f1c2d3e4f50',
      model_id: 'a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11',
      model_name: 'Loan approval v2',
      metric_value: 0.8734567,
      labels: { team: 'risk' },
      annotations: { summary: 'Accuracy fell within an hour.' },
      alert_rule: {
        name: 'Accuracy below target',
        enabled: true,
        threshold: 0.9,
        bound: 'lower_bound',
        notification_webhook_ids: [],
      },
    },
  ],
} as const;

export const alertAcceptedSchema = {
  title: 'AlertAccepted',
  type: 'object',
  additionalProperties: false,
  properties: { alert_id: uuid },
  required: ['alert_id'],
} as const;

/** Gives a schema the type "array of any items", because the real type of its items is too large for TypeScript. */
function arrayOf<Schema extends { type: 'array' }>(schema: Schema & Record<string, unknown>): Schema {
  return schema;
}

/**
 * Schema of several alerts that are published in one request. Alerts are checked one by one, so that valid alerts are
 * published even if another alert of the request is invalid.
 */
export const publishAlertBatchSchema = arrayOf<{ type: 'array'; 'x-items-apart': true; minItems: 1 }>({
  title: 'PublishAlertBatch',
  description: 'Each alert is checked and published independently.',
  type: 'array',
  'x-items-apart': true,
  minItems: 1,
  maxItems: 500,
  items: publishAlertSchema,
} as const);

export const publishedAlertsSchema = arrayOf<{ type: 'array' }>({
  title: 'PublishedAlerts',
  description: 'One entry for each alert, in the order of the request.',
  type: 'array',
  items: {
    anyOf: [
      {
        title: 'PublishedAlert',
        type: 'object',
        additionalProperties: false,
        properties: { alert_id: uuid, status: { const: 202 } },
        required: ['alert_id', 'status'],
      },
      problemSchema,
    ],
  },
  examples: [[{ alert_id: '0c8f4f7e-2b55-4b55-9d4e-7a9f5d1e2c33', status: 202 }]],
} as const);

export const alertSchema = {
  title: 'Alert',
  description: 'One firing of an alert rule.',
  type: 'object',
  additionalProperties: false,
  properties: {
    alert_id: uuid,
    workspace_id: uuid,
    fired_at: time,
    accepted_at: time,
    alert_rule_id: uuid,
    alert_rule_name: { type: 'string' },
    model_id: uuid,
    model_name: { type: 'string' },
    metric_value: { type: 'number' },
    threshold: { type: 'number' },
    bound,
    state: { type: 'string', enum: alertStates },
    labels: alertLabels,
    annotations: alertAnnotations,
    is_test: { type: 'boolean', description: 'True if the publisher marked the alert as a test.' },
    outcome: { type: 'string', enum: alertOutcomes },
    outcome_reason: {
      type: ['string', 'null'],
      description: 'Reason why nothing was delivered, or null.',
    },
    suppressed_by: {
      type: ['object', 'null'],
      additionalProperties: false,
      description:
        'Reason why the alert was suppressed. A dispatch by hand does not clear it. Null for other alerts.',
      properties: {
        reason: {
          type: 'string',
          enum: suppressions,
          description:
            '`cooldown`: the alert was accepted in the cooldown of its rule. `silence`: the rule was silenced.',
        },
        alert_id: {
          ...uuidOrNull,
          description: 'The dispatched alert that started the cooldown. Null for a silence.',
        },
      },
      required: ['reason', 'alert_id'],
    },
    webhook_ids: {
      type: ['array', 'null'],
      items: uuid,
      description:
        'Webhooks of an alert that has no deliveries: only for the outcome over_quota, and for a disabled rule in the message.',
    },
    dispatched_at: {
      ...timeOrNull,
      description: 'Time of the dispatch by hand.',
    },
    dispatched_by: {
      type: ['string', 'null'],
      description: 'Caller that dispatched the alert by hand: issuer, #, subject.',
    },
    summary: {
      type: 'object',
      additionalProperties: false,
      description: 'Number of deliveries of the alert by state. `open`: waiting, queued or sending.',
      properties: { succeeded: count, failed: count, skipped: count, open: count },
      required: ['succeeded', 'failed', 'skipped', 'open'],
    },
  },
  required: [
    'alert_id',
    'workspace_id',
    'fired_at',
    'accepted_at',
    'alert_rule_id',
    'alert_rule_name',
    'model_id',
    'model_name',
    'metric_value',
    'threshold',
    'bound',
    'state',
    'labels',
    'annotations',
    'is_test',
    'outcome',
    'outcome_reason',
    'suppressed_by',
    'webhook_ids',
    'dispatched_at',
    'dispatched_by',
    'summary',
  ],
  examples: [
    {
      alert_rule_name: 'Accuracy below target',
      model_name: 'Loan approval v2',
      metric_value: 0.8734567,
      threshold: 0.9,
      bound: 'lower_bound',
      labels: { team: 'risk' },
      summary: { succeeded: 2, failed: 0, skipped: 0, open: 1 },
    },
  ],
} as const;

export const alertDispatchedSchema = {
  title: 'AlertDispatched',
  type: 'object',
  additionalProperties: false,
  properties: { alert_id: uuid, deliveries: { type: 'array', items: deliverySchema } },
  required: ['alert_id', 'deliveries'],
} as const;

export type PublishAlert = FromSchema<typeof publishAlertSchema>;
export type Alert = FromSchema<typeof alertSchema>;
