import type { RawAnswer } from './answer-reader.js';
import { decodeBody } from './decode-body.js';
import { exchangeFailureOf } from './failure-of-error.js';
import { parseRetryAfter } from './retry-after.js';
import type { SendResult } from './send-result.js';

/** What is told of an answer that was read. */
export function toAnswer(
  answer: RawAnswer,
  { maxResponseBytes, startedAt }: { maxResponseBytes: number; startedAt: number },
): SendResult {
  const isCut = answer.isTooLong || !answer.isComplete;
  const { contentType, contentEncoding, retryAfter } = answer;
  const { text, isShortened } = decodeBody(answer.body, { contentType, isCut, maxBytes: maxResponseBytes });
  const isEncoded = text !== '' && contentEncoding !== undefined && !isIdentity(contentEncoding);
  const bodyNote = answer.bodyNote ?? (isEncoded ? 'encoded' : undefined);
  const retryAfterSeconds = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, Date.now());
  return {
    kind: 'answer',
    statusCode: answer.statusCode,
    response: text,
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

/** What is told of a send that brought no answer. */
export function toSendError(error: unknown, startedAt: number): SendResult {
  const { code, message } = exchangeFailureOf(error);
  return { kind: 'error', code, error: message, durationMs: elapsedSince(startedAt) };
}

function elapsedSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
