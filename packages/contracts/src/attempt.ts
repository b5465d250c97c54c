import type { FromSchema } from 'json-schema-to-ts';
import { errorCodes } from './vocabulary.js';

/** What a destination answered, kept to 64 KiB; null where no HTTP answer came. */
export const destinationResponseSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    status_code: { type: 'integer' },
    response: { type: 'string' },
    truncated: { type: 'boolean', description: 'The answer was longer than what is kept of it.' },
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
        'What was sent; null for callers without the permission webhook_update, for it can hold credentials.',
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
