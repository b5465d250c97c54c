import type { FromSchema } from 'json-schema-to-ts';
import { externalIdOrNull, lastUpdatedBy, time, timeOrNull, uuid } from './common-schemas.js';
import { errorCodes, healthStates, pauseReasons } from './vocabulary.js';

/**
 * URL of a webhook. The format `uri` accepts every absolute URL. When a webhook is saved, further checks reject schemes
 * other than http and https, userinfo, fragments, port 0 and blocked addresses.
 */
export const webhookUrl = {
  type: 'string',
  format: 'uri',
  maxLength: 2_048,
  description: 'Absolute http or https URL that receives the POST.',
} as const;

/**
 * Header names and values that RFC 9110 allows. When a webhook is saved, further checks reject headers that the HTTP
 * client sets itself, such as Content-Length, and headers above the maximum total size.
 */
export const webhookHeaders = {
  type: 'object',
  propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", description: 'a header name' },
  additionalProperties: {
    type: 'array',
    items: {
      type: 'string',
      pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
      description: 'text without control characters and characters above 0xFF',
    },
  },
  maxProperties: 50,
  description:
    'Header names with lists of values. Headers are sent unchanged, one line for each value. A header with `[]` is not sent.',
} as const;

/** Writable fields. URL, headers and template have further rules, which are checked when the webhook is saved. */
const writable = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'Display name.',
  },
  external_id: externalIdOrNull,
  url: webhookUrl,
  headers: webhookHeaders,
  body: { type: 'string', description: 'Jinja2 template, 64 KiB at most. It must render to JSON.' },
  enabled: { type: 'boolean', description: 'Default: true.' },
  retry_on_timeout: {
    type: 'boolean',
    description: 'True: deliveries are retried after a timeout. Default: true.',
  },
  retry_schedule_ms: {
    type: ['array', 'null'],
    items: { type: 'integer', minimum: 1_000, maximum: 43_200_000 },
    maxItems: 10,
    description:
      'Delays before the second and each later attempt, in milliseconds, each with 20 % jitter. Their sum is below 24 hours. `[]`: no retries. Default: null, the schedule of the deployment.',
  },
  timeout_ms: {
    type: ['integer', 'null'],
    minimum: 1_000,
    maximum: 20_000,
    description:
      'Time limit of a request, from connecting to the end of the response, in milliseconds. Default: null, 10 s. Connecting may take at most 5 s.',
  },
  rate_limit: {
    type: ['object', 'null'],
    additionalProperties: false,
    description:
      'Maximum number of requests in a period. Further deliveries wait, and due retries are sent before new deliveries. Retries and redeliveries count, tests do not. Default: null, no limit.',
    properties: {
      requests: { type: 'integer', minimum: 1, maximum: 1_000 },
      period_ms: { type: 'integer', minimum: 1_000, maximum: 3_600_000 },
    },
    required: ['requests', 'period_ms'],
  },
  signing: {
    type: 'boolean',
    description:
      'Sign each request as Standard Webhooks specifies (webhook-id, webhook-timestamp, webhook-signature), with all signing secrets that have not expired. Deliveries wait if there is none. Default: false.',
  },
  idempotency_header: {
    type: ['string', 'null'],
    maxLength: 255,
    description:
      'Name of a header that contains the id of the delivery. All attempts and redeliveries send an equal id. Default: null, no header.',
  },
  paused_until: {
    ...timeOrNull,
    description:
      'Deliveries wait until this time, at most 7 days in the future, and do not expire before. Null ends the pause. Default: null.',
  },
} as const;

const examples = [
  {
    name: 'Chat',
    url: 'https://chat.example.com/hooks/alerts',
    headers: { 'Content-Type': ['application/json'] },
    body: '{"text": "{{ alert_rule_name }}: {{ model_name }} is at {{ metric_value | round(2) }}"}',
  },
] as const;

export const createWebhookSchema = {
  title: 'CreateWebhook',
  type: 'object',
  additionalProperties: false,
  properties: writable,
  required: ['name', 'url', 'body'],
  examples,
} as const;

export const patchWebhookSchema = {
  title: 'PatchWebhook',
  description: 'Any of the writable fields. Given headers replace all headers.',
  type: 'object',
  additionalProperties: false,
  properties: writable,
  examples: [{ name: 'Chat of the night shift', enabled: true }],
} as const;

/** Pause of the webhook. Null if there is no pause, or while single requests probe the destination after it. */
const paused = {
  type: ['object', 'null'],
  additionalProperties: false,
  description:
    'Pause of the webhook, in which its deliveries wait. Null if deliveries are sent, and while single requests probe the destination after a pause.',
  properties: {
    reason: {
      type: 'string',
      enum: pauseReasons,
      description:
        '`circuit`: several deliveries in a row failed. `retry_after`: the destination asked for it with 429 or 503 and `Retry-After`. `manual`: a user asked for it.',
    },
    since: time,
    until: { ...time, description: 'Earliest time of the next request.' },
    error: { type: ['string', 'null'], description: 'The failure that caused the pause.' },
  },
  required: ['reason', 'since', 'until', 'error'],
} as const;

const health = {
  type: 'object',
  additionalProperties: false,
  description: 'State of the deliveries of the webhook. Tests do not count.',
  properties: {
    state: {
      type: 'string',
      enum: healthStates,
      description:
        'The first of these states that applies. `disabled`: the webhook is switched off. `paused`: see `paused`. `failing`: the last attempt failed, or its body could not be rendered. `healthy`: the last attempt succeeded. `unknown`: there was no attempt within 24 hours.',
    },
    since: {
      ...timeOrNull,
      description:
        'Start of the state; for `failing`, the first failure after the last success. Null for `unknown`.',
    },
    last_error: {
      type: ['object', 'null'],
      additionalProperties: false,
      description: 'The last failure. It can be older than the last success.',
      properties: {
        code: { type: 'string', enum: errorCodes },
        error: { type: 'string' },
        at: time,
      },
      required: ['code', 'error', 'at'],
    },
    success_rate_24h: {
      type: ['number', 'null'],
      minimum: 0,
      maximum: 1,
      description:
        'Succeeded deliveries divided by succeeded and failed deliveries, in the last 24 hours (from the start of an hour). Null if none has ended.',
    },
  },
  required: ['state', 'since', 'last_error', 'success_rate_24h'],
} as const;

const properties = {
  id: uuid,
  workspace_id: uuid,
  ...writable,
  disabled_reason: {
    type: ['string', 'null'],
    description: 'Reason why the system has disabled the webhook. Null if it has not.',
  },
  paused,
  health,
  created_at: time,
  updated_at: time,
  last_updated_by: lastUpdatedBy,
} as const;

const required = [
  'id',
  'workspace_id',
  'name',
  'external_id',
  'url',
  'headers',
  'body',
  'enabled',
  'retry_on_timeout',
  'retry_schedule_ms',
  'timeout_ms',
  'rate_limit',
  'signing',
  'idempotency_header',
  'paused_until',
  'disabled_reason',
  'paused',
  'health',
  'created_at',
  'updated_at',
  'last_updated_by',
] as const;

export const webhookSchema = {
  title: 'Webhook',
  description:
    'Callers without `webhook_update` see the scheme and host of the url and the names of the headers; the rest of the url, the header values and the body are replaced by `[hidden]`.',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...properties,
    undecryptable: {
      type: 'boolean',
      description:
        'True if url, headers and body cannot be decrypted: the url then shows only scheme and host, and header values and body are empty. Only in lists, and missing otherwise.',
    },
  },
  required,
  examples,
} as const;

export const savedWebhookSchema = {
  title: 'SavedWebhook',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...properties,
    warnings: {
      type: 'array',
      items: { type: 'string' },
      description: 'Accepted values that are probably mistakes, in the fields of this request.',
    },
  },
  required: [...required, 'warnings'],
  examples: [{ ...examples[0], warnings: [] }],
} as const;

export type CreateWebhook = FromSchema<typeof createWebhookSchema>;
export type PatchWebhook = FromSchema<typeof patchWebhookSchema>;
export type Webhook = FromSchema<typeof webhookSchema>;
