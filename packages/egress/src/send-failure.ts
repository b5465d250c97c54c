import type { NoResponseCode } from '@tocsin/contracts';
import { errors } from 'undici';

/** Error codes that a send can return. Each is also an error code of a delivery. */
export type SendErrorCode = NoResponseCode | 'internal_error';

/** Reasons why the body of a response is incomplete or not plain text. A body above the size limit needs no note. */
export type BodyNote =
  /** The connection ended, or the send was stopped, before the body was complete. */
  | 'cut'
  /** The request timed out while the body was being received. */
  | 'slow'
  /** The body is not valid HTTP, or its trailers are too large for the HTTP parser. */
  | 'broken'
  /** The response exceeded a limit because of bytes that are not content, such as chunk extensions or trailers. */
  | 'overlong'
  /** The body has a content coding, such as gzip, although none was requested. It is kept unchanged. */
  | 'encoded';

/** An expected failure. The sender catches it and returns it as a result. */
export class SendFailure extends Error {
  readonly code: SendErrorCode;

  constructor(code: SendErrorCode, sentence: string, options?: { cause?: unknown }) {
    super(sentence, options);
    this.name = 'SendFailure';
    this.code = code;
  }
}

const sentences: Record<string, [SendErrorCode, string]> = {
  ECONNREFUSED: ['connection_refused', 'The destination refused the connection.'],
  EHOSTUNREACH: ['connection_refused', 'The destination cannot be reached (EHOSTUNREACH).'],
  ENETUNREACH: ['connection_refused', 'The destination cannot be reached (ENETUNREACH).'],
  EHOSTDOWN: ['connection_refused', 'The destination cannot be reached (EHOSTDOWN).'],
  // Codes for an address that the system cannot dial, for example because of a missing network interface or port 0.
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

/**
 * Returns the failure for an error while connecting. Messages of errors are never shown, because they contain
 * addresses.
 */
export function connectFailureOf(error: unknown): SendFailure {
  if (error instanceof SendFailure) return error;
  const code = codeOf(error);
  if (code === 'ETIMEDOUT') {
    return new SendFailure('connect_timeout', 'The connection was not made in time.', { cause: error });
  }
  return known(code, error) ?? internalFailure(code, error);
}

/** Returns the failure for an error in the TLS handshake. */
export function tlsFailureOf(error: unknown): SendFailure {
  if (error instanceof SendFailure) return error;
  const code = codeOf(error);
  const sentence =
    code === 'ECONNRESET'
      ? 'The destination closed the connection within the TLS handshake.'
      : `The TLS handshake failed${code === '' ? '' : ` (${code})`}.${remedyOf(code)}`;
  return new SendFailure('tls_failure', sentence, { cause: error });
}

/** OpenSSL's codes for a certificate whose authority is unknown. */
const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function remedyOf(code: string): string {
  if (unknownAuthority.has(code))
    return ' The authority of the certificate is not known; an operator can add it with EGRESS_CA_FILE.';
  if (code === 'CERT_HAS_EXPIRED') return ' The certificate of the destination has expired.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return ' The certificate of the destination is for another host.';
  return '';
}

/** Returns the failure for an error that occurred on an open connection before the response head was complete. */
export function requestFailureOf(error: unknown): SendFailure {
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

/** Returns the reason why a body is incomplete, after reading it has failed with `error`. */
export function bodyNoteOf(error: unknown): BodyNote {
  if (error instanceof SendFailure) return noteOfFailure(error.code);
  // The trailers have caused this error, because a response whose head is too large fails before its body.
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW') return 'broken';
  // If the connection ends within a chunk, the parser reports an error with EOF. The body is then cut and not broken.
  const isBroken = error instanceof errors.HTTPParserError && !error.message.includes('EOF');
  return isBroken ? 'broken' : 'cut';
}

function noteOfFailure(code: SendErrorCode): BodyNote {
  if (code === 'timeout') return 'slow';
  return code === 'invalid_response' ? 'overlong' : 'cut';
}

/**
 * Returns true for undici's errors `bad response` and `bad upgrade`. These protocol violations have no code, so they
 * are recognised by their message.
 */
function isBadResponse(error: unknown): boolean {
  return error instanceof Error && (error.message === 'bad response' || error.message === 'bad upgrade');
}

function known(code: string, cause: unknown): SendFailure | undefined {
  const entry = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return entry && new SendFailure(entry[0], entry[1], { cause });
}

function internalFailure(code: string, cause: unknown): SendFailure {
  const name = code || (cause instanceof Error ? cause.name : typeof cause);
  return new SendFailure('internal_error', `The request could not be sent (${name}).`, { cause });
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
