import { STATUS_CODES } from 'node:http';
import { AppError, errorStatus } from '../app-error.js';

export interface ProblemResponse {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/**
 * Returns the response with the problem document (RFC 9457) for an error. A `URIError` becomes a 400, and any other
 * error except `AppError` a 500 without its message.
 */
export function toProblem(error: unknown, requestId: string): ProblemResponse {
  const { status, code, detail, errors, extra, retryAfterSeconds, headers } = toAppError(error);
  return {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...headers,
    },
    body: {
      ...extra,
      type: 'about:blank',
      title: STATUS_CODES[status],
      status,
      code,
      detail,
      ...(errors && { errors }),
      request_id: requestId,
    },
  };
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // Express throws `URIError` for a path such as /webhooks/%zz.
  if (error instanceof URIError) {
    return new AppError('invalid_request', 'The path has a malformed percent escape.', { cause: error });
  }
  return new AppError('internal_error', 'Something went wrong on our side.', { cause: error });
}

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
      description: 'Validation errors. Only with the code validation_failed.',
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
  examples: [
    {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      code: 'validation_failed',
      detail: 'The request body is not valid.',
      errors: [{ path: '/name', message: 'is required' }],
      request_id: '3b1f6a52-8d0e-4c4a-9a57-0f1c2d3e4f50',
    },
  ],
} as const;

/** Descriptions of the error responses in the OpenAPI document, by status. */
export const problemDescriptions: Readonly<Record<number | 'default', string>> = {
  default: 'Any other problem.',
  400: 'The request cannot be parsed: a missing body, or malformed JSON, path or query.',
  401: 'Credentials are missing, invalid or expired.',
  403: 'Credentials are valid but lack permission for the requested resource.',
  404: 'No resource has this id.',
  408: 'The request was not complete in time.',
  409: 'The request conflicts with the current state of the resource.',
  412: 'The resource is not the one that If-Match names; read it again.',
  413: 'The request body is too large.',
  415: 'The request body is not application/json in UTF-8.',
  422: 'The request is well-formed but not valid; `errors` lists the reasons.',
  429: 'Too many requests; see Retry-After.',
  431: 'The URL and headers of the request are too large.',
  503: 'A dependency is unavailable; see Retry-After.',
};
