import type { Knex } from 'knex';
import type { Database } from './connection.js';

/**
 * Reads under a time limit of its own; beyond it a statement throws what `isStatementTimeout` knows. All statements see
 * the same state of the database. `goOn`, awaited before a further one, leaves it only the rest of the time.
 */
export async function readWithTimeout<T>(
  database: Database,
  timeoutMs: number,
  read: (trx: Knex.Transaction, goOn: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  const work = async (trx: Knex.Transaction) => {
    let limitMs = await limitTo(trx, timeoutMs);
    return read(trx, async () => {
      const leftMs = endMs - performance.now();
      if (leftMs < limitMs * worthTelling) limitMs = await limitTo(trx, leftMs);
    });
  };
  return database.knex.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
}

/** A new limit is a way to the database and back: it is not told for every millisecond. */
const worthTelling = 0.95;

async function limitTo(trx: Knex.Transaction, ms: number): Promise<number> {
  // Zero would be no limit at all.
  const limitMs = Math.max(1, Math.trunc(ms));
  await trx.raw(`set local statement_timeout = ${limitMs}`);
  return limitMs;
}
