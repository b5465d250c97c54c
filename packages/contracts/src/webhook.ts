import type { FromSchema } from 'json-schema-to-ts';

const uuid = { type: 'string', format: 'uuid' } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** What a caller may write; what JSON Schema cannot say of url, headers and body is checked on saving. */
const writable = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'A label for people; shown where webhooks are attached to alert rules.',
  },
  url: { type: 'string', description: 'An absolute http or https URL; receives the POST.' },
  headers: {
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Name to values, sent exactly so, each value as a line of its own. `[]` sends nothing.',
  },
  body: { type: 'string', description: 'A Jinja2 template, 64 KiB at most; it must render to JSON.' },
  enabled: { type: 'boolean', description: 'True unless given.' },
  retry_on_timeout: {
    type: 'boolean',
    description: 'Whether a delivery that timed out is sent again. True unless given.',
  },
} as const;

export const createWebhookSchema = {
  title: 'CreateWebhook',
  type: 'object',
  additionalProperties: false,
  properties: writable,
  required: ['name', 'url', 'body'],
} as const;

export const patchWebhookSchema = {
  title: 'PatchWebhook',
  description: 'Any of the writable fields; headers are replaced whole.',
  type: 'object',
  additionalProperties: false,
  properties: writable,
} as const;

const properties = {
  id: uuid,
  workspace_id: uuid,
  ...writable,
  created_at: time,
  updated_at: time,
  last_updated_by: { type: 'string', description: 'Issuer and subject of the last writer.' },
} as const;

const required = [
  'id',
  'workspace_id',
  'name',
  'url',
  'headers',
  'body',
  'enabled',
  'retry_on_timeout',
  'created_at',
  'updated_at',
  'last_updated_by',
] as const;

export const webhookSchema = {
  title: 'Webhook',
  description:
    'Callers without `webhook_update` see the scheme and host of the url and the names of the headers; the rest of the url, the header values and the body read `[hidden]`.',
  type: 'object',
  additionalProperties: false,
  properties,
  required,
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
      description: 'What was accepted and is probably not meant, about the fields that were written.',
    },
  },
  required: [...required, 'warnings'],
} as const;

export type CreateWebhook = FromSchema<typeof createWebhookSchema>;
export type PatchWebhook = FromSchema<typeof patchWebhookSchema>;
export type Webhook = FromSchema<typeof webhookSchema>;
