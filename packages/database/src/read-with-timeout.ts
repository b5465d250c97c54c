import type { Knex } from 'knex';
import type { Database } from './connection.js';

/**
 * Runs several reads in one snapshot with a common time limit. A statement that exceeds the limit fails with a
 * statement timeout. `read` must await `limitNext` before each statement after the first one: `limitNext` limits the
 * next statement to the remaining time.
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

/**
 * A new statement timeout is set only if the remaining time is less than 95 % of the current statement timeout, because
 * setting the timeout costs a round trip.
 */
const minChange = 0.95;

async function limitTo(trx: Knex.Transaction, ms: number): Promise<number> {
  // PostgreSQL treats a timeout of 0 as no limit.
  const limitMs = Math.max(1, Math.trunc(ms));
  await trx.raw(`set local statement_timeout = ${limitMs}`);
  return limitMs;
}
