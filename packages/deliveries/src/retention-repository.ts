import {
  type Database,
  firstIdAt,
  isLockTimeout,
  listDays,
  partitionName,
  partitionsOfDay,
} from '@tocsin/database';

const dayMs = 86_400_000;

export interface Retention {
  /** Present time of the database's clock, in Unix milliseconds. */
  nowMs: number;
  retentionDays: number;
  /** Stops a long deletion after its current batch. The next call deletes the rest. */
  signal?: AbortSignal;
}

/**
 * Drops the partitions of days older than `retentionDays` and returns their names. A day with open deliveries is kept
 * until they end. `busy`: a transaction uses the tables, and the caller should try again soon.
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
    if (outcome === 'dropped') dropped.push(...partitionsOfDay(day));
  }
  return { dropped, busy: false };
}

/**
 * A partition can be dropped only while no transaction uses its table, and later statements queue behind the drop. A
 * backup that reads for an hour would stop every delivery for an hour, so the drop waits 200 ms and is tried again later.
 */
const lockTimeoutMs = 200;

/**
 * Drops the partitions of a day (a number of days since 1970) from all tables in one transaction: a delivery without
 * its alert could never be claimed.
 */
async function dropDay(database: Database, day: number): Promise<'dropped' | 'has_open_deliveries' | 'busy'> {
  try {
    return await database.knex.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      // Locked before the check, so that no redelivery opens a delivery of the day between check and drop.
      await trx.raw('lock table only alerts, only deliveries, only attempts in access exclusive mode');
      const open = await trx.raw(
        'select from open_deliveries where delivery_id >= ? and delivery_id < ? limit 1',
        [firstIdAt(day * dayMs), firstIdAt((day + 1) * dayMs)],
      );
      if (open.rows.length > 0) return 'has_open_deliveries';
      for (const name of partitionsOfDay(day)) await trx.raw(`drop table if exists ${name}`);
      return 'dropped';
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'busy';
    throw error;
  }
}

/** Comment on a partition of `attempts` that was emptied: it holds attempts of later redeliveries only. */
const emptied = 'emptied';

/**
 * Removes the attempts of days older than `retentionDays`: the partition of such a day is emptied once. Attempts of later
 * redeliveries in it are kept for as many days and then deleted. The partition stays, because redeliveries need it.
 * Returns the names of the partitions that this call has emptied.
 */
export async function removeExpiredAttempts(database: Database, retention: Retention): Promise<string[]> {
  const removed: string[] = [];
  const before = oldestDay(retention);
  for (const day of await listDays(database)) {
    if (day >= before || retention.signal?.aborted) break;
    const name = partitionName('attempts', day);
    if (!(await isEmptied(database, name))) {
      await emptyPartition(database, name);
      removed.push(name);
    }
    await deleteInBatches(database, {
      from: name,
      where: 'started_at < ?',
      before,
      signal: retention.signal,
    });
  }
  return removed;
}

async function isEmptied({ knex }: Database, name: string): Promise<boolean> {
  const { rows } = await knex.raw(`select obj_description(to_regclass(?), 'pg_class') as comment`, [name]);
  return rows[0].comment === emptied;
}

/** A truncation locks the partition alone, and only for a moment: other days are read and written meanwhile. */
async function emptyPartition({ knex }: Database, name: string): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
    await trx.raw(`truncate ${name}`);
    await trx.raw(`comment on table ${name} is '${emptied}'`);
  });
}

/**
 * Deletes the keys of alerts older than `retentionDays`, except those of days whose partitions still exist, and of
 * later days. The tables say which days are gone, so that a crash between a drop and this call leaves no key behind.
 */
export async function deleteExpiredAlertKeys(database: Database, retention: Retention): Promise<void> {
  const before = await firstDayKept(database, retention);
  const { signal } = retention;
  await deleteInBatches(database, { from: 'alert_keys', where: 'accepted_at < ?', before, signal });
}

/** Deletes the counts of deliveries older than `retentionDays`, except those of days whose partitions still exist. */
export async function deleteExpiredStats(database: Database, retention: Retention): Promise<void> {
  const before = await firstDayKept(database, retention);
  const { signal } = retention;
  await deleteInBatches(database, { from: 'delivery_stats', where: 'at < ?', before, signal });
}

async function firstDayKept(database: Database, retention: Retention): Promise<number> {
  const [firstDay = Number.POSITIVE_INFINITY] = await listDays(database);
  return Math.min(firstDay, oldestDay(retention));
}

/** Deletes dead letters older than `retentionDays`. */
export async function deleteExpiredDeadLetters(database: Database, retention: Retention): Promise<void> {
  const before = oldestDay(retention);
  const { signal } = retention;
  await deleteInBatches(database, { from: 'dead_letters', where: 'created_at < ?', before, signal });
}

/** Deletes audit events older than `retentionDays`. */
export async function deleteExpiredAuditEvents(database: Database, retention: Retention): Promise<void> {
  const before = oldestDay(retention);
  const { signal } = retention;
  await deleteInBatches(database, { from: 'audit_events', where: 'time < ?', before, signal });
}

/** Deletes jobs that ended more than `retentionDays` ago. */
export async function deleteExpiredJobs(database: Database, retention: Retention): Promise<void> {
  const before = oldestDay(retention);
  const where = `status <> 'running' and updated_at < ?`;
  const { signal } = retention;
  await deleteInBatches(database, { from: 'jobs', where, before, signal });
}

/**
 * A batch of this size is deleted within the statement timeout, also on a slow disk. One statement for a whole day
 * would exceed the timeout every time.
 */
const rowsInBatch = 50_000;

interface Expired {
  from: string;
  /** SQL condition with one parameter: a time. */
  where: string;
  /** First day that is kept, in days since 1970. */
  before: number;
  signal: AbortSignal | undefined;
}

async function deleteInBatches({ knex }: Database, { from, where, before, signal }: Expired): Promise<void> {
  const batch = `delete from ${from} where ctid = any(array(select ctid from ${from} where ${where} limit ${rowsInBatch}))`;
  let deleted: number;
  do {
    deleted = await knex.transaction(async (trx) => {
      // BRIN indexes work through bitmap scans only, which sessions with `plansByKey` have switched off.
      await trx.raw('set local enable_bitmapscan = on; set local plan_cache_mode = force_custom_plan');
      return (await trx.raw(batch, [new Date(before * dayMs)])).rowCount;
    });
    // A short batch does not mean the end: another worker may delete the same rows. An empty batch does.
  } while (deleted > 0 && !signal?.aborted);
}

/** The oldest day that is kept, in days since 1970. */
function oldestDay({ nowMs, retentionDays }: Retention): number {
  return Math.floor(nowMs / dayMs) - retentionDays;
}
