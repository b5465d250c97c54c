import type { FromSchema } from 'json-schema-to-ts';
import { deadLetterReasons } from './vocabulary.js';

export const deadLetterSchema = {
  title: 'DeadLetter',
  description: 'A message that could not be processed and was set aside.',
  type: 'object',
  additionalProperties: false,
  properties: {
    id: { type: 'string', format: 'uuid' },
    reason: { type: 'string', enum: deadLetterReasons },
    detail: { type: 'string' },
    queue: { type: 'string' },
    routing_key: { type: 'string' },
    message: {
      description: 'The message: its JSON value, its text, or its bytes in base64, as `encoding` says.',
    },
    encoding: { type: 'string', enum: ['json', 'utf-8', 'base64'] },
    size_bytes: {
      type: 'integer',
      minimum: 0,
      description: 'Of the whole message; of more than 1 MiB only the beginning is kept.',
    },
    truncated: { type: 'boolean', description: 'Only the beginning of the message is shown.' },
    created_at: { type: 'string', format: 'date-time' },
    requeued_at: { type: ['string', 'null'], format: 'date-time' },
  },
  required: [
    'id',
    'reason',
    'detail',
    'queue',
    'routing_key',
    'message',
    'encoding',
    'size_bytes',
    'truncated',
    'created_at',
    'requeued_at',
  ],
} as const;

export type DeadLetter = FromSchema<typeof deadLetterSchema>;
