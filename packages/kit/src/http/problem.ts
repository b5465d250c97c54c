import { STATUS_CODES } from 'node:http';
import { AppError } from '../app-error.js';

export interface ProblemResponse {
  status: number;
  headers: Record<string, string>;
  /** `application/problem+json` (RFC 9457). */
  body: Record<string, unknown>;
}

/** What a caller is told about an error. An error that is not ours to explain is a bare 500. */
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
  // express's router throws this for a path such as /webhooks/%zz
  if (error instanceof URIError) {
    return new AppError('invalid_request', 'The path holds a malformed percent escape.', { cause: error });
  }
  return new AppError('internal_error', 'Something went wrong on our side.', { cause: error });
}
