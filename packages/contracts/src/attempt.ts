import type { FromSchema } from 'json-schema-to-ts';
import { errorCodes } from './vocabulary.js';

/** HTTP response of the destination, with up to 64 KiB of its body; null if no response arrived. */
export const destinationResponseSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    status_code: { type: 'integer' },
    response: { type: 'string' },
    truncated: { type: 'boolean', description: 'The response was longer than the stored part.' },
  },
  required: ['status_code', 'response', 'truncated'],
} as const;

export const errorCodeSchema = { type: ['string', 'null'], enum: [...errorCodes, null] } as const;

export const attemptSchema = {
  title: 'Attempt',
  description: 'One HTTP request of a delivery.',
  type: 'object',
  additionalProperties: false,
  properties: {
    number: { type: 'integer', minimum: 1 },
    trigger: { type: 'string', enum: ['scheduled', 'manual'] },
    started_at: { type: 'string', format: 'date-time' },
    duration_ms: { type: 'integer', minimum: 0 },
    request_body: {
      type: ['string', 'null'],
      description:
        'Request body. Null for callers without the permission webhook_update, because it can hold credentials.',
    },
    response: destinationResponseSchema,
    error: { type: ['string', 'null'] },
    error_code: errorCodeSchema,
  },
  required: [
    'number',
    'trigger',
    'started_at',
    'duration_ms',
    'request_body',
    'response',
    'error',
    'error_code',
  ],
} as const;

export type Attempt = FromSchema<typeof attemptSchema>;
export type DestinationResponse = FromSchema<typeof destinationResponseSchema>;
