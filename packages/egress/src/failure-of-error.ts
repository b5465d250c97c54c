import { errors } from 'undici';
import { SendFailure } from './send-failure.js';
import type { BodyNote, SendErrorCode } from './send-result.js';

const sentences: Record<string, [SendErrorCode, string]> = {
  ECONNREFUSED: ['connection_refused', 'The destination refused the connection.'],
  EHOSTUNREACH: ['connection_refused', 'The destination cannot be reached (EHOSTUNREACH).'],
  ENETUNREACH: ['connection_refused', 'The destination cannot be reached (ENETUNREACH).'],
  EHOSTDOWN: ['connection_refused', 'The destination cannot be reached (EHOSTDOWN).'],
  // Of the address that was dialled: a local one with no interface, none of its family here, the port 0.
  EADDRNOTAVAIL: ['connection_refused', 'The destination cannot be reached (EADDRNOTAVAIL).'],
  EAFNOSUPPORT: ['connection_refused', 'The destination cannot be reached (EAFNOSUPPORT).'],
  EINVAL: ['connection_refused', 'The destination cannot be reached (EINVAL).'],
  EACCES: ['connection_refused', 'The connection was forbidden on the way (EACCES).'],
  EPERM: ['connection_refused', 'The connection was forbidden on the way (EPERM).'],
  ECONNRESET: ['connection_reset', 'The destination closed the connection without a response.'],
  ECONNABORTED: ['connection_reset', 'The connection was aborted without a response.'],
  EPIPE: ['connection_reset', 'The destination closed the connection without a response.'],
  UND_ERR_SOCKET: ['connection_reset', 'The destination closed the connection without a response.'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['invalid_response', 'The response is not valid HTTP/1.1.'],
  UND_ERR_HEADERS_OVERFLOW: ['invalid_response', 'The headers of the response are too large.'],
};

/** The failure to report for an error while connecting; the message of an error is never shown. */
export function connectFailureOf(error: unknown): SendFailure {
  if (error instanceof SendFailure) return error;
  const code = codeOf(error);
  if (code === 'ETIMEDOUT') {
    return new SendFailure('connect_timeout', 'The connection was not made in time.', { cause: error });
  }
  return known(code, error) ?? internalFailure(code, error);
}

/** The failure to report for an error within a TLS handshake. */
export function tlsFailureOf(error: unknown): SendFailure {
  if (error instanceof SendFailure) return error;
  const code = codeOf(error);
  const sentence =
    code === 'ECONNRESET'
      ? 'The destination closed the connection within the TLS handshake.'
      : `The TLS handshake failed${code === '' ? '' : ` (${code})`}.`;
  return new SendFailure('tls_failure', sentence, { cause: error });
}

/** The failure to report for an error after the connection was made and before a response's head had come. */
export function exchangeFailureOf(error: unknown): SendFailure {
  if (error instanceof SendFailure) return error;
  const code = codeOf(error);
  if (code === 'ETIMEDOUT') {
    return new SendFailure('timeout', 'The destination stopped responding.', { cause: error });
  }
  if (error instanceof errors.HTTPParserError || isBadResponse(error)) {
    return new SendFailure('invalid_response', 'The response is not valid HTTP/1.1.', { cause: error });
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return new SendFailure('tls_failure', `TLS failed on the connection (${code}).`, { cause: error });
  }
  return known(code, error) ?? internalFailure(code, error);
}

/** What to note of a body that was ended by `error` after the status line. */
export function bodyNoteOf(error: unknown): BodyNote {
  if (error instanceof SendFailure) return noteOfFailure(error.code);
  // Trailers: the head's own overflow comes before the status line counts.
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW') return 'broken';
  // At the end of a connection the parser complains of the rest that is missing.
  const isBroken = error instanceof errors.HTTPParserError && !error.message.includes('EOF');
  return isBroken ? 'broken' : 'cut';
}

function noteOfFailure(code: SendErrorCode): BodyNote {
  if (code === 'timeout') return 'slow';
  return code === 'invalid_response' ? 'overlong' : 'cut';
}

/** undici tells a response that breaks the protocol (an unasked upgrade, say) from a closed socket by message only. */
function isBadResponse(error: unknown): boolean {
  return error instanceof Error && (error.message === 'bad response' || error.message === 'bad upgrade');
}

function known(code: string, cause: unknown): SendFailure | undefined {
  const entry = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return entry && new SendFailure(entry[0], entry[1], { cause });
}

function internalFailure(code: string, cause: unknown): SendFailure {
  const what = code || (cause instanceof Error ? cause.name : typeof cause);
  return new SendFailure('internal_error', `The request could not be sent (${what}).`, { cause });
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
