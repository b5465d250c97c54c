import type { Knex } from 'knex';
import type { Database } from './connection.js';

/**
 * Reads in one snapshot with a time limit for all statements together. A statement beyond it is a statement timeout.
 * `read` awaits `limitNext` before each further statement, which sets the timeout to the time that is left.
 */
export async function readWithTimeout<T>(
  database: Database,
  timeoutMs: number,
  read: (trx: Knex.Transaction, limitNext: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  const work = async (trx: Knex.Transaction) => {
    let limitMs = await limitTo(trx, timeoutMs);
    return read(trx, async () => {
      const leftMs = endMs - performance.now();
      if (leftMs < limitMs * minChange) limitMs = await limitTo(trx, leftMs);
    });
  };
  return database.knex.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
}

/** Setting a limit is a round trip, so a limit within 5 % of the present one is not set. */
const minChange = 0.95;

async function limitTo(trx: Knex.Transaction, ms: number): Promise<number> {
  // PostgreSQL takes a timeout of 0 as no limit.
  const limitMs = Math.max(1, Math.trunc(ms));
  await trx.raw(`set local statement_timeout = ${limitMs}`);
  return limitMs;
}
