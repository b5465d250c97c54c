import { decodeBody } from './decode-body.js';
import { exchangeFailureOf } from './failure-of-error.js';
import type { RawResponse } from './response-reader.js';
import { parseRetryAfter } from './retry-after.js';
import type { SendResult } from './send-result.js';

/** What is told of a response that was read. */
export function toResponse(
  response: RawResponse,
  { maxResponseBytes, startedAt }: { maxResponseBytes: number; startedAt: number },
): SendResult {
  const isCut = response.isTooLong || !response.isComplete;
  const { contentType, contentEncoding, retryAfter } = response;
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
    durationMs: elapsedSince(startedAt),
  };
}

/** The value is a stranger's and may hold 32 KiB: a pattern with a space class at both ends would take its square. */
function isIdentity(contentEncoding: string): boolean {
  return ['', 'identity'].includes(contentEncoding.trim().toLowerCase());
}

/** What is told of a send that brought no response. */
export function toSendError(error: unknown, startedAt: number): SendResult {
  const { code, message } = exchangeFailureOf(error);
  return { kind: 'error', code, error: message, durationMs: elapsedSince(startedAt) };
}

function elapsedSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
