import { errorStatus } from '../app-error.js';

/** The body of every answer that is an error. */
export const problemSchema = {
  title: 'Problem',
  description: 'A problem document (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'request_id'],
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(errorStatus) },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      description: 'With code validation_failed: what is wrong, and where.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'A JSON pointer into the body, or the name of a parameter.' },
          message: { type: 'string' },
        },
      },
    },
    request_id: { type: 'string' },
  },
} as const;

export const problemSentences: Readonly<Record<number, string>> = {
  400: 'The request cannot be read: malformed JSON, path or query.',
  401: 'Credentials are missing, invalid or expired.',
  403: 'Credentials are valid but lack permission for the requested resource.',
  404: 'No such id exists.',
  409: 'The request conflicts with the present state.',
  413: 'The request body is too large.',
  415: 'The request body is not application/json in UTF-8.',
  422: 'The request is understood but not valid; `errors` says where.',
  429: 'Too many requests; see Retry-After.',
  503: 'A part that is needed is away; see Retry-After.',
};
