import type { Transaction } from './connection.js';

/** Takes the advisory lock with this name until the transaction ends. Other transactions wait for it. */
export async function lockName(trx: Transaction, name: string): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(cast(? as text), 0))', [name]);
}
