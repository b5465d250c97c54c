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
  /** Current time on the database's clock, in Unix milliseconds. */
  nowMs: number;
  retentionDays: number;
  /** Stops a long deletion after its current batch. The next call continues it. */
  signal?: AbortSignal;
}

/**
 * Drops the partitions of days older than `retentionDays` and returns their names. A day with open deliveries is kept
 * until they have ended. `busy` is true if a transaction is using the tables; the caller should try again soon.
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
 * Maximum wait for a table lock, in milliseconds. Other statements must wait behind a waiting drop, and a transaction
 * such as a backup can use the table for an hour. The drop therefore fails soon and is tried again later.
 */
const lockTimeoutMs = 200;

/**
 * Drops the partitions of a day (a number of days since 1970) from all tables in one transaction, because a delivery
 * without its alert cannot be claimed.
 */
async function dropDay(database: Database, day: number): Promise<'dropped' | 'has_open_deliveries' | 'busy'> {
  try {
    return await database.knex.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      // The lock comes before the check, so that no redelivery can open a delivery of the day between the check and the
      // drop.
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

/**
 * Table comment that marks a partition of `attempts` as emptied. Such a partition contains only attempts of later
 * redeliveries.
 */
const emptied = 'emptied';

/**
 * Removes the attempts of days older than `retentionDays` and returns the names of the partitions that were emptied.
 * The partition of such a day is truncated once and kept, because redeliveries write new attempts to it. These are
 * deleted when they are older than `retentionDays` themselves.
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

/** Truncates one partition. It locks only this partition for a short time, so that other days can be read and written. */
async function emptyPartition({ knex }: Database, name: string): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
    await trx.raw(`truncate ${name}`);
    await trx.raw(`comment on table ${name} is '${emptied}'`);
  });
}

/**
 * Deletes alert keys older than `retentionDays`, except keys of days whose partitions still exist and of later days.
 * The dropped days are determined from the existing tables, so a crash between a drop and this call leaves no keys
 * behind.
 */
export async function deleteExpiredAlertKeys(database: Database, retention: Retention): Promise<void> {
  const before = await firstDayKept(database, retention);
  const { signal } = retention;
  await deleteInBatches(database, { from: 'alert_keys', where: 'accepted_at < ?', before, signal });
}

/** Deletes delivery counts older than `retentionDays`, except counts of days whose partitions still exist. */
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
 * Maximum rows of a batch. A batch is deleted within the statement timeout even on a slow disk. A statement for a whole
 * day would exceed the timeout.
 */
const rowsInBatch = 50_000;

interface Expired {
  from: string;
  /** SQL condition with one parameter of type timestamptz. */
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
      // BRIN indexes need bitmap scans, which sessions with `plansByKey` have disabled.
      await trx.raw('set local enable_bitmapscan = on; set local plan_cache_mode = force_custom_plan');
      return (await trx.raw(batch, [new Date(before * dayMs)])).rowCount;
    });
    // Only an empty batch is the end. A batch can be small because another worker deletes the same rows.
  } while (deleted > 0 && !signal?.aborted);
}

/** Returns the oldest day that is kept, in days since 1970. */
function oldestDay({ nowMs, retentionDays }: Retention): number {
  return Math.floor(nowMs / dayMs) - retentionDays;
}
