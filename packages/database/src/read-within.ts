import type { Knex } from 'knex';
import type { Database } from './connection.js';

/** Reads under a time limit of its own. A statement that takes longer throws what `isStatementTimeout` knows. */
export async function readWithin<T>(
  database: Database,
  timeoutMs: number,
  read: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return database.knex.transaction(async (trx) => {
    await trx.raw(`set local statement_timeout = ${Math.trunc(timeoutMs)}`);
    return read(trx);
  });
}

export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014';
}
