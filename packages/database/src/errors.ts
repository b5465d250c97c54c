import { isNativeError } from 'node:util/types';

// What an error's code says: PostgreSQL's own (appendix A of its manual; two characters are a class), or a socket's.
/** Class 08, what a server says as it ends a connection, and the socket's own. */
const hasLostConnection = withCode(/^(08|57P0|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/);
/** The server lacks something, is not in the state for it, or its disk fails. */
const isServerUnable = withCode(/^(53|55000|58)/);
/** A session that is read-only may stay so when the database no longer is, or is not the primary any more. */
export const isReadOnly = withCode(/^25006/);
export const isStatementTimeout = withCode(/^57014/);
export const isLockTimeout = withCode(/^55P03/);
/**
 * A connection keeps named statements as they were when it first ran them. Refused before anything is done: a column's
 * type has changed since ("cached plan must not change result type"), or a pooler or an operator has discarded them.
 */
export const isOutdated = withCode(/^(0A000|26000)/);
export const isTableMissing = withCode(/^42P01/);
const isCheckViolation = withCode(/^23514/);

/** True for faults of the way to the database or of its being up, false for faults of a statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof NoConnectionError) return true;
  return isConnectionLost(error) || isServerUnable(error) || isReadOnly(error);
}

/** pg gives some of what ends a connection no code. */
export function isConnectionLost(error: unknown): boolean {
  if (hasLostConnection(error)) return true;
  return isNativeError(error) && /connection terminated|not queryable|timeout expired/i.test(error.message);
}

/** The statement was ended or undone for the time that it took, or waited for a lock: it may succeed as it is, later. */
export function isOutOfTime(error: unknown): boolean {
  return isStatementTimeout(error) || isLockTimeout(error);
}

/** True for "no partition of relation … found for row": a check violation, as a bad value is, but of no constraint. */
export function isPartitionMissing(error: unknown): boolean {
  return isCheckViolation(error) && (!('constraint' in error) || error.constraint === undefined);
}

/**
 * No connection could be had. Whatever the reason (a wrong password and a lack of file handles among them), it is no
 * fault of the statement, and may end without a restart.
 */
export class NoConnectionError extends Error {
  constructor(cause: unknown) {
    super(`No connection to the database: ${describe(cause)}`, { cause });
    this.name = 'NoConnectionError';
  }
}

/** Where each address of a name was tried, the errors are in a list and the message is empty. */
function describe(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.map(describe).join('; ');
  return error.message;
}

function withCode(pattern: RegExp) {
  return (error: unknown): error is Error => {
    if (!isNativeError(error) || !('code' in error)) return false;
    return typeof error.code === 'string' && pattern.test(error.code);
  };
}
