import { isNativeError } from 'node:util/types';
import { AppError } from '@tocsin/kit';

/**
 * Kinds of database errors:
 * - `unavailable`: no connection, a lost connection, or a server that cannot work now (full disk, read-only,
 *   shutdown).
 * - `timeout`: the statement exceeded its time limit or lock timeout and was rolled back.
 * - `conflict`: a deadlock, a serialization failure, or a duplicate unique key. A duplicate key usually comes from a
 *   concurrent transaction. The statement was rolled back, and an immediate retry usually succeeds.
 * - `invalid_value`: the server rejected a value (SQLSTATE classes 22 and 23, except errors of another kind in this
 *   list).
 * - `missing_partition`: no partition exists for the row's id, or the table that the statement names is missing.
 * - `outdated_plan`: a prepared statement of the session does not fit the changed schema. The server did not execute
 *   it.
 * - `other`: any other error.
 */
export type DatabaseErrorKind =
  | 'unavailable'
  | 'timeout'
  | 'conflict'
  | 'invalid_value'
  | 'missing_partition'
  | 'outdated_plan'
  | 'other';

/**
 * Classifies an error by its SQLSTATE (appendix A of the PostgreSQL manual; the first two characters are a class) or by
 * the code of a socket error.
 */
export function classifyDatabaseError(error: unknown): DatabaseErrorKind {
  if (error instanceof NoConnectionError || isConnectionLost(error)) return 'unavailable';
  const code = codeOf(error);
  // SQLSTATE class 53: insufficient resources. 55000: object not in the required state. Class 58: system error. 25006:
  // read-only transaction.
  if (/^(53|55000|58|25006)/.test(code)) return 'unavailable';
  if (isStatementTimeout(error) || isLockTimeout(error)) return 'timeout';
  if (isRolledBack(error) || code === '23505') return 'conflict';
  if (isPartitionMissing(error)) return 'missing_partition';
  if (/^2[23]/.test(code)) return 'invalid_value';
  // SQLSTATE 26000: the session does not have this prepared statement, for example after DISCARD ALL.
  if (code === '26000' || isPlanOutdated(error)) return 'outdated_plan';
  return 'other';
}

export function isDatabaseUnavailable(error: unknown): boolean {
  return classifyDatabaseError(error) === 'unavailable';
}

/**
 * Returns true for SQLSTATE class 08, 57P0x (shutdown) and socket errors. The library pg also reports lost connections
 * and timeouts with errors that have no code. They are recognized by their message.
 */
export function isConnectionLost(error: unknown): boolean {
  if (/^(08|57P0|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(codeOf(error))) return true;
  return (
    isNativeError(error) &&
    /connection terminated|not queryable|timeout expired|query read timeout/i.test(error.message)
  );
}

/**
 * Returns true if a write failed because the session is read-only. A session can stay read-only even after the database
 * has become writable or another server has become the primary.
 */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014';
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Returns true if the server ended the transaction because of a concurrent one: a deadlock or serialization failure. */
function isRolledBack(error: unknown): boolean {
  return /^(40P01|40001)$/.test(codeOf(error));
}

export function isTableMissing(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

/** Returns the reason why writes fail, as a sentence for operators. It contains no host or table name. */
export function explainWriteFailure(error: unknown): string {
  if (isReadOnly(error)) return 'The database is read-only.';
  if (codeOf(error) === '53100') return 'The disk of the database is full.';
  if (codeOf(error) === '42501') return 'The database user has no permission to write.';
  return isDatabaseUnavailable(error)
    ? 'The database is unavailable.'
    : 'The database rejects the worker’s writes.';
}

/**
 * Returns true if the row has no partition, or if the table that a statement names is missing. The server reports a
 * missing partition as a check violation (23514) without a constraint name.
 */
function isPartitionMissing(error: unknown): boolean {
  if (isTableMissing(error)) return true;
  if (codeOf(error) !== '23514') return false;
  return (error as { constraint?: string }).constraint === undefined;
}

/**
 * Detects the error "cached plan must not change result type". Unsupported statements have the same SQLSTATE (0A000),
 * so the name of the reporting server function is compared. This name, unlike the message, does not depend on the
 * language of the server.
 */
function isPlanOutdated(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery';
}

/** Returns the SQLSTATE of a server error or the code of a socket error; an empty string if the error has none. */
function codeOf(error: unknown): string {
  if (!isNativeError(error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/**
 * Error of a caller that got no connection. Possible causes are a wrong password, a lack of file descriptors, a full
 * pool or an open circuit breaker. No statement of the caller was sent. A later call can succeed without a restart.
 */
export class NoConnectionError extends Error {
  constructor(cause: unknown) {
    super(`No connection to the database: ${describe(cause)}`, { cause });
    this.name = 'NoConnectionError';
  }
}

/**
 * Returns the message of an error. If the connection failed for several addresses, the error has an empty message and a
 * list of errors, whose messages are joined.
 */
function describe(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.map(describe).join('; ');
  return error.message;
}

/**
 * Converts an unavailable database, a timeout, a deadlock or a serialization failure to a 503 with Retry-After, and
 * returns other errors unchanged. Services use it as the option `translateError` of `createHttpApp`.
 */
export function toUnavailableError(error: unknown): unknown {
  if (isRolledBack(error)) {
    const detail = 'Another change of the same data ended this one. Nothing was changed; repeat the request.';
    return new AppError('unavailable', detail, { cause: error, retryAfterSeconds: 1 });
  }
  if (!['unavailable', 'timeout'].includes(classifyDatabaseError(error))) return error;
  const detail =
    'The database is unavailable; try again. If the request changes data, the change may or may not have been made.';
  return new AppError('unavailable', detail, { cause: error, retryAfterSeconds: 2 });
}
