import type { FromSchema } from 'json-schema-to-ts';
import { attemptSchema, destinationResponseSchema, errorCodeSchema, likelyCauseSchema } from './attempt.js';
import { count, time, timeOrNull, uuid } from './common-schemas.js';
import { deliveryStatuses, waitingReasons } from './vocabulary.js';

const properties = {
  id: uuid,
  workspace_id: uuid,
  alert_id: uuid,
  alert_rule_id: uuid,
  webhook_id: uuid,
  webhook_name: { type: 'string' },
  destination: {
    type: 'string',
    description:
      'Scheme and host of the last attempt. Before the first attempt: of the webhook when the alert was accepted.',
  },
  status: { type: 'string', enum: deliveryStatuses },
  attempts_made: count,
  next_attempt_at: {
    ...timeOrNull,
    description: 'Time of the next attempt. Null if the delivery does not wait.',
  },
  waiting_reason: {
    type: ['string', 'null'],
    enum: [...waitingReasons, null],
    description:
      'Reason why the delivery waits. Null if it does not wait. `retry`: the time of its next attempt has not come. `paused`: the webhook is paused. `backlog`: it is due and waits behind other deliveries. `no_slot`: no worker has a free slot for the webhook, or memory for the body. `crashed`: a claim ended without an outcome, because its worker crashed, froze or lost the database. `undecryptable`: the worker has no key for the webhook. `render_budget`: the workspace has used its time for rendering. `rate_limit`: the webhook has reached its rate limit. `no_signing_secret`: the webhook signs its requests and has no secret.',
  },
  first_succeeded_at: timeOrNull,
  attempts_expired: {
    type: 'boolean',
    description:
      'True if attempts were removed because of their age (`RETENTION_ATTEMPTS_DAYS`, 14 by default); `attempts_made` still counts them.',
  },
  created_at: {
    ...time,
    description: 'Acceptance time of the alert, also if the alert was dispatched by hand later.',
  },
  response: { ...destinationResponseSchema, description: 'Response to the last attempt.' },
  error: { type: ['string', 'null'] },
  error_code: errorCodeSchema,
  likely_cause: likelyCauseSchema,
  rendered: {
    type: ['string', 'null'],
    description:
      'Rendered text that was not sent because it is not JSON (`invalid_json`). Null for callers without the permission webhook_update.',
  },
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
  'waiting_reason',
  'first_succeeded_at',
  'attempts_expired',
  'created_at',
  'response',
  'error',
  'error_code',
  'likely_cause',
  'rendered',
] as const;

const examples = [
  {
    webhook_name: 'Chat',
    destination: 'https://chat.example.com',
    status: 'succeeded',
    attempts_made: 1,
    first_succeeded_at: '2026-01-31T12:00:01Z',
    response: { status_code: 200, response: 'ok', truncated: false, location: null, retry_after: null },
  },
] as const;

export const deliverySchema = {
  title: 'Delivery',
  description: 'One alert for one webhook.',
  type: 'object',
  additionalProperties: false,
  properties,
  required,
  examples,
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
      description: 'Attempts in the order of their numbers: the latest 100, or fewer if they exceed 4 MiB.',
    },
  },
  required: [...required, 'attempts'],
  examples,
} as const;

export type Delivery = FromSchema<typeof deliverySchema>;
export type DeliveryWithAttempts = FromSchema<typeof deliveryWithAttemptsSchema>;
