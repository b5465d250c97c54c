import { isNativeError } from 'node:util/types';
import { AppError } from '@tocsin/kit';

/**
 * - `unavailable`: no connection, a lost connection, or a server that cannot work now (full disk, read-only, shutdown).
 * - `timeout`: the statement ran into its time limit or its lock limit and was undone.
 * - `conflict`: a deadlock, a serialization failure, or a unique key that a concurrent transaction has inserted. The
 *   statement was undone, and an immediate retry usually succeeds.
 * - `invalid_value`: the server rejected a value (SQLSTATE classes 22 and 23).
 * - `missing_partition`: no partition exists for the row's id.
 * - `outdated_plan`: a prepared statement that the session knows no longer fits the schema. Nothing was executed.
 */
export type DatabaseErrorKind =
  | 'unavailable'
  | 'timeout'
  | 'conflict'
  | 'invalid_value'
  | 'missing_partition'
  | 'outdated_plan'
  | 'other';

/** SQLSTATE codes are in appendix A of the PostgreSQL manual; their first two characters are a class. */
export function classifyDatabaseError(error: unknown): DatabaseErrorKind {
  if (error instanceof NoConnectionError || isConnectionLost(error)) return 'unavailable';
  const code = codeOf(error);
  // 53: insufficient resources. 55000: object not in the required state. 58: system error. 25006: read-only.
  if (/^(53|55000|58|25006)/.test(code)) return 'unavailable';
  if (isStatementTimeout(error) || isLockTimeout(error)) return 'timeout';
  if (/^(40P01|40001|23505)/.test(code)) return 'conflict';
  if (isPartitionMissing(error)) return 'missing_partition';
  if (/^2[23]/.test(code)) return 'invalid_value';
  // 26000: unknown statement, after DISCARD ALL for example.
  if (code === '26000' || isPlanOutdated(error)) return 'outdated_plan';
  return 'other';
}

export function isDatabaseUnavailable(error: unknown): boolean {
  return classifyDatabaseError(error) === 'unavailable';
}

/** Matches SQLSTATE class 08, 57P0x (shutdown), socket errors, and pg's own errors, which have no code. */
export function isConnectionLost(error: unknown): boolean {
  if (/^(08|57P0|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(codeOf(error))) return true;
  return (
    isNativeError(error) &&
    /connection terminated|not queryable|timeout expired|query read timeout/i.test(error.message)
  );
}

/** A session can stay read-only after the database is writable again, or after another server became the primary. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014';
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

export function isTableMissing(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

/** The reason why writes fail, as a sentence for operators. It names no host and no table. */
export function explainWriteFailure(error: unknown): string {
  if (isReadOnly(error)) return 'The database is read-only.';
  if (codeOf(error) === '53100') return 'The disk of the database is full.';
  if (codeOf(error) === '42501') return 'The database user has no permission to write.';
  return isDatabaseUnavailable(error)
    ? 'The database is unavailable.'
    : 'The database rejects the worker’s writes.';
}

/** The server reports a missing partition as a check violation without a constraint name. */
function isPartitionMissing(error: unknown): boolean {
  if (codeOf(error) !== '23514') return false;
  return (error as { constraint?: string }).constraint === undefined;
}

/**
 * "cached plan must not change result type". Statements that the server does not support have the same SQLSTATE; the
 * server names the function that reported the error, whatever the language of the message.
 */
function isPlanOutdated(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery';
}

/** SQLSTATE of a server error, or the code of a socket error; empty without one. */
function codeOf(error: unknown): string {
  if (!isNativeError(error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/**
 * No connection could be opened. The cause (a wrong password or a lack of file handles, for example) is never the
 * statement, and can end without a restart.
 */
export class NoConnectionError extends Error {
  constructor(cause: unknown) {
    super(`No connection to the database: ${describe(cause)}`, { cause });
    this.name = 'NoConnectionError';
  }
}

/** A failed connection to several addresses has its errors in a list and an empty message. */
function describe(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.map(describe).join('; ');
  return error.message;
}

/**
 * Turns an unavailable database or a timeout into a 503 with Retry-After, and returns other errors unchanged. Option of
 * `createHttpApp`.
 */
export function toUnavailableError(error: unknown): unknown {
  if (!['unavailable', 'timeout'].includes(classifyDatabaseError(error))) return error;
  const detail = 'The database is unavailable. The request may or may not have changed data; try again.';
  return new AppError('unavailable', detail, { cause: error, retryAfterSeconds: 2 });
}
