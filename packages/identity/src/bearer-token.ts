import { AppError } from '@tocsin/kit';

// Room for the groups of a few hundred workspaces; the server's own limit on headers is above it.
const maxTokenLength = 24_576;

/**
 * The credential of an `Authorization: Bearer …` header (RFC 6750 §2.1).
 * @throws AppError `unauthenticated`
 */
export function readBearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new AppError('unauthenticated', 'Send an access token in the header Authorization: Bearer.');
  }
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
  if (token === undefined || token.length > maxTokenLength) throw invalidToken('is malformed');
  return token;
}

/** `predicate` completes "The access token …"; it is sent to the caller, also in `WWW-Authenticate` (RFC 6750 §3). */
export function invalidToken(predicate: string, cause?: unknown): AppError {
  const detail = `The access token ${predicate}.`;
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new AppError('unauthenticated', detail, { cause, headers: { 'WWW-Authenticate': challenge } });
}
