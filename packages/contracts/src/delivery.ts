import type { FromSchema } from 'json-schema-to-ts';
import { attemptSchema, destinationResponseSchema, errorCodeSchema } from './attempt.js';
import { deliveryStatuses } from './vocabulary.js';

const uuid = { type: 'string', format: 'uuid' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;

const properties = {
  id: uuid,
  workspace_id: uuid,
  alert_id: uuid,
  alert_rule_id: uuid,
  webhook_id: uuid,
  webhook_name: { type: 'string' },
  destination: { type: 'string', description: 'Scheme and host of the URL.' },
  status: { type: 'string', enum: deliveryStatuses },
  attempts_made: { type: 'integer', minimum: 0 },
  next_attempt_at: { ...timeOrNull, description: 'Set while the delivery is waiting.' },
  first_succeeded_at: timeOrNull,
  created_at: time,
  response: { ...destinationResponseSchema, description: 'Response to the last attempt.' },
  error: { type: ['string', 'null'] },
  error_code: errorCodeSchema,
} as const;

const required = [
  'id',
  'workspace_id',
  'alert_id',
  'alert_rule_id',
  'webhook_id',
  'webhook_name',
  'destination',
  'status',
  'attempts_made',
  'next_attempt_at',
  'first_succeeded_at',
  'created_at',
  'response',
  'error',
  'error_code',
] as const;

export const deliverySchema = {
  title: 'Delivery',
  description: 'One alert for one webhook.',
  type: 'object',
  additionalProperties: false,
  properties,
  required,
} as const;

export const deliveryWithAttemptsSchema = {
  title: 'DeliveryWithAttempts',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...properties,
    attempts: {
      type: 'array',
      items: attemptSchema,
      description: 'Ordered by number. The latest 100, or fewer if they exceed 4 MiB.',
    },
  },
  required: [...required, 'attempts'],
} as const;

export type Delivery = FromSchema<typeof deliverySchema>;
export type DeliveryWithAttempts = FromSchema<typeof deliveryWithAttemptsSchema>;
