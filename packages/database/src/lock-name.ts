import type { Transaction } from './connection.js';

/** Takes the advisory lock with this name until the transaction ends. Other transactions wait for it. */
export async function lockName(trx: Transaction, name: string): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(cast(? as text), 0))', [name]);
}

/** Takes the lock of `lockName` and returns true, or returns false if another transaction has this lock. */
export async function tryLockName(trx: Transaction, name: string): Promise<boolean> {
  const statement = 'select pg_try_advisory_xact_lock(hashtextextended(cast(? as text), 0)) as locked';
  const { rows } = await trx.raw(statement, [name]);
  return rows[0].locked;
}
