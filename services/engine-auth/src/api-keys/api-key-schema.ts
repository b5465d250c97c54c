import { time, timeOrNull, uuid } from '@tocsin/contracts';
import type { FromSchema } from 'json-schema-to-ts';
import type { ApiKey } from './api-key.js';

const description = { type: 'string', maxLength: 1_000 } as const;

export const createApiKeySchema = {
  title: 'CreateApiKey',
  type: 'object',
  required: ['description'],
  additionalProperties: false,
  properties: { description },
  examples: [{ description: 'Monitoring in production' }],
} as const;

export const apiKeySchema = {
  title: 'ApiKey',
  description: 'An engine key without its raw form or hash.',
  type: 'object',
  required: ['id', 'description', 'is_active', 'created_at', 'created_by', 'deactivated_at'],
  additionalProperties: false,
  properties: {
    id: uuid,
    description,
    is_active: { type: 'boolean' },
    created_at: time,
    created_by: { type: 'string' },
    deactivated_at: timeOrNull,
  },
} as const;

export const createdApiKeySchema = {
  title: 'CreatedApiKey',
  description: 'A new engine key with its raw form, which is shown only here.',
  type: 'object',
  required: ['id', 'key', 'description', 'is_active', 'created_at', 'message'],
  additionalProperties: false,
  properties: {
    id: uuid,
    key: { type: 'string', description: 'The raw key: base64 of `{id}:{key}`.' },
    description,
    is_active: { const: true },
    created_at: time,
    message: { type: 'string' },
  },
} as const;

export const apiKeyParams = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: { id: uuid },
} as const;

export function presentApiKey(key: ApiKey): FromSchema<typeof apiKeySchema> {
  return {
    id: key.id,
    description: key.description,
    is_active: key.isActive,
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    deactivated_at: key.deactivatedAt?.toISOString() ?? null,
  };
}
