import type { Database } from './connection.js';
import { dropDay, listDays, partitionsOf } from './partitions-repository.js';

const dayMs = 86_400_000;

export interface Retention {
  nowMs: number;
  retentionDays: number;
  /** What takes long ends early, and is gone on with another time. */
  signal?: AbortSignal;
}

/**
 * Drops the partitions of days older than `retentionDays`; their names. A day of which something is still owed is left
 * for another turn. One whose tables somebody reads is not waited for: `busy`, and to be tried again soon.
 */
export async function dropExpiredDays(
  database: Database,
  retention: Retention,
): Promise<{ dropped: string[]; busy: boolean }> {
  const dropped: string[] = [];
  for (const day of await listDays(database)) {
    if (day >= oldestDay(retention)) break;
    const outcome = await dropDay(database, day);
    if (outcome === 'busy') return { dropped, busy: true };
    if (outcome === 'dropped') dropped.push(...partitionsOf(day));
  }
  return { dropped, busy: false };
}

/**
 * Removes the keys of alerts older than `retentionDays`, but not of a day that still stands, nor of those after it: which
 * days are gone is asked of the tables, so that whoever died between a day's drop and its keys leaves nothing behind.
 */
export async function forgetExpiredKeys(database: Database, retention: Retention): Promise<void> {
  const [firstDay = Number.POSITIVE_INFINITY] = await listDays(database);
  const before = Math.min(firstDay, oldestDay(retention));
  await deleteInSteps(database, {
    from: 'alert_keys',
    where: 'accepted_at < ?',
    before,
    signal: retention.signal,
  });
}

/** Removes dead letters older than `retentionDays`. */
export async function deleteExpiredDeadLetters(database: Database, retention: Retention): Promise<void> {
  const before = oldestDay(retention);
  await deleteInSteps(database, {
    from: 'dead_letters',
    where: 'created_at < ?',
    before,
    signal: retention.signal,
  });
}

/** Removes redelivery jobs that ended more than `retentionDays` ago. */
export async function deleteExpiredRedeliveries(database: Database, retention: Retention): Promise<void> {
  const before = oldestDay(retention);
  const where = `status <> 'running' and updated_at < ?`;
  await deleteInSteps(database, { from: 'redeliveries', where, before, signal: retention.signal });
}

/** Far within the time limit of a statement, on a slow disk too: all of a day at once would run into it each time anew. */
const rowsInStep = 50_000;

interface Expired {
  from: string;
  where: string;
  /** A day. */
  before: number;
  /** Ends it after a step. */
  signal: AbortSignal | undefined;
}

async function deleteInSteps({ knex }: Database, { from, where, before, signal }: Expired): Promise<void> {
  const step = `delete from ${from} where ctid = any(array(select ctid from ${from} where ${where} limit ${rowsInStep}))`;
  let deleted: number;
  do {
    deleted = await knex.transaction(async (trx) => {
      // Keys have an index by blocks, which only a bitmap can use; whose plans go by ids would read the whole table.
      await trx.raw('set local enable_bitmapscan = on; set local plan_cache_mode = force_custom_plan');
      return (await trx.raw(step, [new Date(before * dayMs)])).rowCount;
    });
    // Of a full step another worker may have had some: only one that finds nothing has found the end.
  } while (deleted > 0 && !signal?.aborted);
}

/** That is kept. */
function oldestDay({ nowMs, retentionDays }: Retention): number {
  return Math.floor(nowMs / dayMs) - retentionDays;
}
