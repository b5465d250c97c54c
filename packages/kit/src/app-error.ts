import type { RateDecision } from './concurrency/rate-limiter.js';

/** All error codes of the REST APIs, with their HTTP statuses. */
export const errorStatus = {
  malformed_json: 400,
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  alert_not_processed: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  undecryptable: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** A validation error: `path` is a JSON pointer into the body, or the name of a parameter. */
export interface FieldError {
  path: string;
  message: string;
}

export interface AppErrorOptions {
  cause?: unknown;
  /** Validation errors; only for the code `validation_failed`. */
  errors?: FieldError[];
  /** Value of the header `Retry-After`, in whole seconds. */
  retryAfterSeconds?: number;
  /** Further members of the problem document (RFC 9457 §3.2). */
  extra?: Record<string, unknown>;
  /** Further response headers, for example `WWW-Authenticate`. */
  headers?: Record<string, string>;
}

/**
 * An error that is reported to the caller. `detail` is a sentence for people. It is sent unchanged, and must not
 * contain secrets.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly extra: Record<string, unknown> | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = errorStatus[code];
    this.detail = detail;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.extra = options.extra;
    this.headers = options.headers;
  }
}

/** Returns the 422 error for a request body with these validation errors. */
export function invalidBody(errors: FieldError[]): AppError {
  return new AppError('validation_failed', 'The request body is not valid.', { errors });
}

/** Returns the 422 error for a query with these validation errors. */
export function invalidQuery(errors: FieldError[], cause?: unknown): AppError {
  return new AppError('validation_failed', 'The query is not valid.', { errors, cause });
}

/**
 * Throws if a rate limiter has rejected a request.
 * @throws AppError `too_many_requests` with `Retry-After`
 */
export function requireWithinLimit(decision: RateDecision, detail: string): void {
  if (decision.allowed) return;
  throw new AppError('too_many_requests', detail, { retryAfterSeconds: decision.retryAfterSeconds });
}
