import type { FromSchema } from 'json-schema-to-ts';
import { count, time } from './common-schemas.js';
import { errorCodes } from './vocabulary.js';

/** HTTP response of the destination, with up to 64 KiB of its body; null if no response arrived. */
export const destinationResponseSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    status_code: { type: 'integer' },
    response: { type: 'string' },
    truncated: {
      type: 'boolean',
      description: 'True: the stored text is not the whole response, which was longer or ended early.',
    },
    location: {
      type: ['string', 'null'],
      description:
        'Header `Location` of the response, at most 2,048 characters; `[redacted]` replaces secrets of the webhook. Redirects are not followed.',
    },
    retry_after: {
      type: ['string', 'null'],
      description:
        'Header `Retry-After`, a number of seconds or a date; at most 128 characters. An invalid value has no effect.',
    },
  },
  required: ['status_code', 'response', 'truncated', 'location', 'retry_after'],
} as const;

export const errorCodeSchema = { type: ['string', 'null'], enum: [...errorCodes, null] } as const;

export const likelyCauseSchema = {
  type: ['string', 'null'],
  description:
    'Usual cause of the response status, and a solution, for 3xx, 400, 401, 403, 404, 415 and 429.',
} as const;

export const attemptSchema = {
  title: 'Attempt',
  description: 'One HTTP request of a delivery.',
  type: 'object',
  additionalProperties: false,
  properties: {
    number: { type: 'integer', minimum: 1 },
    trigger: { type: 'string', enum: ['scheduled', 'manual'] },
    started_at: time,
    duration_ms: count,
    destination: { type: 'string', description: 'Scheme and host that the request was sent to.' },
    request_body: {
      type: ['string', 'null'],
      description:
        'Request body. Null for callers without the permission webhook_update, because it can hold credentials.',
    },
    response: destinationResponseSchema,
    error: { type: ['string', 'null'] },
    error_code: errorCodeSchema,
    likely_cause: likelyCauseSchema,
  },
  required: [
    'number',
    'trigger',
    'started_at',
    'duration_ms',
    'destination',
    'request_body',
    'response',
    'error',
    'error_code',
    'likely_cause',
  ],
  examples: [
    {
      destination: 'https://chat.example.com',
      duration_ms: 120,
      request_body: '{"text": "Accuracy below target: Loan approval v2 is at 0.87"}',
      response: { status_code: 200, response: 'ok', truncated: false, location: null, retry_after: null },
    },
  ],
} as const;

export type Attempt = FromSchema<typeof attemptSchema>;
export type DestinationResponse = FromSchema<typeof destinationResponseSchema>;
