import type { FromSchema } from 'json-schema-to-ts';
import { time, timeOrNull, uuid } from './common-schemas.js';

export const createSigningSecretSchema = {
  title: 'CreateSigningSecret',
  type: 'object',
  additionalProperties: false,
  properties: {
    expire_others_after_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: 2_592_000,
      description:
        'Time after which the other secrets of the webhook stop signing. Default: they sign until they are deleted.',
    },
  },
  examples: [{ expire_others_after_seconds: 86_400 }],
} as const;

const properties = {
  id: uuid,
  created_at: time,
  expires_at: { ...timeOrNull, description: 'Null: the secret does not expire.' },
} as const;

export const signingSecretSchema = {
  title: 'SigningSecret',
  description:
    'A secret that signs the requests of a webhook. The secret itself is shown only when it is created.',
  type: 'object',
  additionalProperties: false,
  properties,
  required: ['id', 'created_at', 'expires_at'],
} as const;

export const createdSigningSecretSchema = {
  title: 'CreatedSigningSecret',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...properties,
    secret: { type: 'string', description: '`whsec_` and base64 of 32 bytes. Shown only here.' },
  },
  required: ['id', 'secret', 'created_at', 'expires_at'],
} as const;

export type SigningSecret = FromSchema<typeof signingSecretSchema>;
