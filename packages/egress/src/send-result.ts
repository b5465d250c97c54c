import { decodeBody } from './decode-body.js';
import type { RawResponse } from './response-reader.js';
import { type BodyNote, requestFailureOf, type SendErrorCode } from './send-failure.js';

export type SendResult = HttpResponse | SendError;

/** The destination sent a response. The status code is valid even if the body is cut. */
export interface HttpResponse {
  kind: 'response';
  statusCode: number;
  /**
   * The body as text, at most `maxResponseBytes` (see `SenderOptions`) of UTF-8. U+FFFD replaces NUL and invalid bytes.
   */
  body: string;
  /** True if the body was longer than the limit, or ended early. */
  truncated: boolean;
  bodyNote?: BodyNote | undefined;
  /** Wait that the `Retry-After` header requests, in whole seconds from the end of the send; 0 or more. */
  retryAfterSeconds?: number | undefined;
  /**
   * Value of the `Retry-After` header as it was sent, even if it is invalid. It has at most 32 KiB, because all headers
   * together are limited to 32 KiB.
   */
  retryAfter?: string | undefined;
  /** Value of the `Location` header as it was sent, decoded as UTF-8. */
  location?: string | undefined;
  durationMs: number;
}

/** The send ended without a valid response. `error` is a sentence that contains no path, query, header or address. */
export interface SendError {
  kind: 'error';
  code: SendErrorCode;
  error: string;
  durationMs: number;
}

/**
 * Converts a complete or cut response to a result.
 * @param startedAtMs `performance.now()` at the start of the send
 */
export function toHttpResponse(
  response: RawResponse,
  { maxResponseBytes, startedAtMs }: { maxResponseBytes: number; startedAtMs: number },
): SendResult {
  const isCut = response.isTooLong || !response.isComplete;
  const { contentType, contentEncoding, retryAfter, location } = response;
  const { text, isShortened } = decodeBody(response.body, { contentType, isCut, maxBytes: maxResponseBytes });
  const isEncoded = text !== '' && contentEncoding !== undefined && !isIdentity(contentEncoding);
  const bodyNote = response.bodyNote ?? (isEncoded ? 'encoded' : undefined);
  const retryAfterSeconds = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, Date.now());
  return {
    kind: 'response',
    statusCode: response.statusCode,
    body: text,
    truncated: isCut || isShortened,
    bodyNote,
    retryAfterSeconds,
    retryAfter,
    location,
    durationMs: elapsedSince(startedAtMs),
  };
}

/**
 * Converts any error of a send to a result.
 * @param startedAtMs `performance.now()` at the start of the send
 */
export function toSendError(error: unknown, startedAtMs: number): SendResult {
  const { code, message } = requestFailureOf(error);
  return { kind: 'error', code, error: message, durationMs: elapsedSince(startedAtMs) };
}

/**
 * Returns true if the header value names no content coding. The value can be 32 KiB long. It is trimmed without a
 * regular expression, because one with optional spaces at both ends would take quadratic time.
 */
function isIdentity(contentEncoding: string): boolean {
  return ['', 'identity'].includes(contentEncoding.trim().toLowerCase());
}

function elapsedSince(startedAtMs: number): number {
  return Math.round(performance.now() - startedAtMs);
}

/**
 * Converts a `Retry-After` value (RFC 9110 §10.2.3), a number of seconds or an HTTP date, to whole seconds from `now`.
 * @param now Unix time in milliseconds
 * @returns 0 for a date in the past, undefined if the value is invalid
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  if (!httpDate.test(text)) return undefined;
  // Dates in asctime format have no zone, and `Date.parse` would read them as local time.
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}

/**
 * Matches texts that look like one of the three date formats of RFC 9110 §5.6.7. `Date.parse` alone accepts nearly
 * every text as a date.
 */
const httpDate = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d( GMT| \d{4})$/;
