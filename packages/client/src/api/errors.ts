import { TocsinError } from '../tocsin-error.js';
import type { Problem } from './schemas.js';

/** Error code of the API, or `http_error` if the response contains no code, for example because a proxy sent it. */
export type ApiErrorCode = Problem['code'] | 'http_error';

export interface ApiErrorDetails {
  status: number;
  code: ApiErrorCode;
  message: string;
  errors: NonNullable<Problem['errors']>;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  problem: Record<string, unknown>;
}

/** An error response from the API. The message is the member `detail` of the problem document, if there is one. */
export class ApiError extends TocsinError {
  readonly code: ApiErrorCode;
  readonly status: number;
  /** List of the invalid parts of the request. It is empty unless the code is `validation_failed`. */
  readonly errors: NonNullable<Problem['errors']>;
  /** Id of the request (`X-Request-Id`). The log of the service contains it too. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Complete problem document (RFC 9457), including members that are specific to one operation. */
  readonly problem: Record<string, unknown>;

  constructor(details: ApiErrorDetails) {
    super(details.message);
    this.name = new.target.name;
    this.code = details.code;
    this.status = details.status;
    this.errors = details.errors;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.problem = details.problem;
  }
}

/** 401: the credential is missing, invalid or expired. */
export class UnauthenticatedError extends ApiError {}
/** 403: the credential is valid, but does not have the permission. */
export class ForbiddenError extends ApiError {}
/** 404: there is no such resource, or the caller may not see it. */
export class NotFoundError extends ApiError {}
/** 409: the request conflicts with the current state. */
export class ConflictError extends ApiError {}
/** 412: the resource has changed since its ETag was read. Read it again before trying again. */
export class PreconditionFailedError extends ApiError {}
/** 400, 413, 415, 422: the request is invalid. With the code `validation_failed`, `errors` lists the invalid parts. */
export class InvalidRequestError extends ApiError {}
/** 429: the rate limit is exceeded. If the request was retried, the last retry got this response too. */
export class TooManyRequestsError extends ApiError {}
/** 503: a dependency is unavailable. If the request was retried, the last retry got this response too. */
export class UnavailableError extends ApiError {}

/** Error for a response that did not arrive or cannot be read. The API may have processed the request. */
export class ConnectionError extends TocsinError {
  readonly code: 'connection_failed' | 'timeout' | 'invalid_response';

  constructor(code: ConnectionError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
    this.code = code;
  }
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: TooManyRequestsError,
  503: UnavailableError,
};

/** Returns the error for a response with a status above 299. A body that is not a problem document is ignored. */
export function toApiError(response: {
  status: number;
  text: string;
  isProblem: boolean;
  retryAfterMs: number | undefined;
}): ApiError {
  const { status, retryAfterMs } = response;
  const problem = response.isProblem ? parseObject(response.text) : undefined;
  const ErrorClass = classes[status] ?? ApiError;
  return new ErrorClass({
    status,
    retryAfterMs,
    code: textOr(problem?.code, 'http_error') as ApiErrorCode,
    message: textOr(problem?.detail, `The server responded with status ${status}.`),
    errors: Array.isArray(problem?.errors) ? problem.errors : [],
    requestId: typeof problem?.request_id === 'string' ? problem.request_id : undefined,
    problem: problem ?? {},
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}
