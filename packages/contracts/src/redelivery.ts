import type { FromSchema } from 'json-schema-to-ts';

const uuid = { type: 'string', format: 'uuid' } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** Bulk redelivery applies to ended deliveries only: open deliveries are sent anyway. */
const endedStatus = { type: 'string', enum: ['failed', 'skipped', 'succeeded'] } as const;

const filterProperties = {
  status: { ...endedStatus, description: 'Default: failed.' },
  webhook_id: uuid,
  alert_id: uuid,
  alert_rule_id: uuid,
  status_code: { type: 'integer', minimum: 100, maximum: 999 },
  since: { ...time, description: 'Deliveries of alerts accepted at this time or later.' },
  until: {
    ...time,
    description: 'Deliveries of alerts accepted before this time, and before the request in any case.',
  },
} as const;

/**
 * Filter of ended deliveries. A member besides `status` is required, so that nobody resends a whole workspace by mistake.
 */
export const createRedeliverySchema = {
  title: 'CreateRedelivery',
  description: 'At least one filter besides `status`, or `all: true`.',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    ...filterProperties,
    all: {
      type: 'boolean',
      description:
        'True: without another filter, every ended delivery of the workspace with this status is sent again.',
    },
  },
  examples: [{ status: 'failed', since: '2026-01-31T12:00:00Z' }],
} as const;

export const redeliverySchema = {
  title: 'Redelivery',
  description: 'A job that sends ended deliveries again.',
  type: 'object',
  additionalProperties: false,
  properties: {
    id: uuid,
    workspace_id: uuid,
    filter: {
      type: 'object',
      additionalProperties: false,
      properties: filterProperties,
      required: ['status', 'until'],
    },
    matched: {
      type: 'integer',
      minimum: 0,
      description: 'Number of matching deliveries when the job was created, counted up to 100,000.',
    },
    done: { type: 'integer', minimum: 0, description: 'Number of deliveries redelivered so far.' },
    status: { type: 'string', enum: ['running', 'done', 'cancelled'] },
    created_by: { type: 'string' },
    created_at: time,
    updated_at: time,
  },
  required: [
    'id',
    'workspace_id',
    'filter',
    'matched',
    'done',
    'status',
    'created_by',
    'created_at',
    'updated_at',
  ],
} as const;

export type CreateRedelivery = FromSchema<typeof createRedeliverySchema>;
export type Redelivery = FromSchema<typeof redeliverySchema>;
export type RedeliveryFilter = Redelivery['filter'];
