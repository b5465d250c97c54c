import type { FromSchema } from 'json-schema-to-ts';
import { count, time, timeOrNull, uuid, uuidOrNull } from './common-schemas.js';
import { deadLetterReasons } from './vocabulary.js';

export const deadLetterSchema = {
  title: 'DeadLetter',
  description: 'A message that could not be processed.',
  type: 'object',
  additionalProperties: false,
  properties: {
    id: uuid,
    workspace_id: {
      ...uuidOrNull,
      description: 'Workspace that the message names; null if it names none, or cannot be read.',
    },
    reason: { type: 'string', enum: deadLetterReasons },
    detail: { type: 'string' },
    queue: { type: 'string' },
    routing_key: { type: 'string' },
    message: {
      description: 'The message as JSON value, text, or base64; `encoding` names the form.',
    },
    encoding: { type: 'string', enum: ['json', 'utf-8', 'base64'] },
    size_bytes: {
      ...count,
      description: 'Size of the whole message. Only the beginning of a message above 1 MiB is stored.',
    },
    truncated: { type: 'boolean', description: 'True: only the beginning of the message is shown.' },
    created_at: time,
    requeued_at: timeOrNull,
  },
  required: [
    'id',
    'workspace_id',
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
