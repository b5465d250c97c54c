import {
  createPartition,
  type Database,
  firstIdAt,
  isLockTimeout,
  lateAttempts,
  listDays,
  moveToArchive,
  partitionName,
  partitionsOfDay,
  type Transaction,
} from '@tocsin/database';

const dayMs = 86_400_000;

export interface Retention {
  /** Current time on the database's clock, in Unix milliseconds. */
  nowMs: number;
  retentionDays: number;
  /** True: expired partitions are moved to the schema `archive` and not dropped. */
  archive?: boolean;
  /** An aborted signal stops a long deletion after its current batch. The next call continues the deletion. */
  signal?: AbortSignal;
}

/**
 * Drops the partitions of days older than `retentionDays`, or moves them to the archive, and returns their names. A day
 * with open deliveries is kept until they have ended. `busy` is true if a day could not be dropped because other
 * transactions were using the tables; the caller should then try again soon.
 */
export async function dropExpiredDays(
  database: Database,
  retention: Retention,
): Promise<{ dropped: string[]; busy: boolean }> {
  const dropped: string[] = [];
  for (const day of await listDays(database)) {
    if (day >= oldestDay(retention)) break;
    const outcome = await dropDay(database, day, retention);
    if (outcome === 'busy') return { dropped, busy: true };
    if (outcome === 'dropped') dropped.push(...partitionsOfDay(day));
  }
  return { dropped, busy: false };
}

/**
 * Maximum wait for a table lock, in milliseconds. While a drop or a truncation waits for its lock, other statements on
 * the table wait too. A long transaction such as a backup could block all of them for an hour. The drop or truncation
 * therefore fails after this time and is repeated later.
 */
const lockTimeoutMs = 200;

/**
 * Drops the partitions of a day (a number of days since 1970) from all tables in one transaction, because a delivery
 * without its alert cannot be claimed.
 */
async function dropDay(
  database: Database,
  day: number,
  retention: Retention,
): Promise<'dropped' | 'has_open_deliveries' | 'busy'> {
  try {
    return await database.knex.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      // The tables are locked before the check for open deliveries, so that no redelivery can open a delivery of the
      // day between the check and the drop.
      await trx.raw('lock table only alerts, only deliveries, only attempts in access exclusive mode');
      const open = await trx.raw(
        'select from open_deliveries where delivery_id >= ? and delivery_id < ? limit 1',
        [firstIdAt(day * dayMs), firstIdAt((day + 1) * dayMs)],
      );
      if (open.rows.length > 0) return 'has_open_deliveries';
      for (const partition of partitionsOfDay(day)) await dropPartition(trx, partition, retention);
      return 'dropped';
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'busy';
    throw error;
  }
}

async function dropPartition(
  trx: Transaction,
  partition: string,
  { archive, nowMs }: Retention,
): Promise<void> {
  if (!archive) return trx.raw(`drop table if exists ${partition}`);
  const { rows } = await trx.raw('select to_regclass(?) is not null as exists', [partition]);
  if (!rows[0].exists) return;
  // The archive can already contain the earlier attempts of an emptied partition under the usual name. The later
  // attempts therefore get another name.
  const kind = (await isEmptied(trx, partition)) ? lateAttempts : undefined;
  await moveToArchive(trx, { partition, nowMs, ...(kind && { kind }) });
}

/**
 * Table comment that marks a partition of `attempts` as emptied. Such a partition contains only attempts of later
 * redeliveries.
 */
const emptied = 'emptied';

/**
 * Removes the attempts of days older than `retentionDays` and returns the names of the partitions that were emptied.
 * The partition of such a day is emptied once and kept, because redeliveries write new attempts to it. Without an
 * archive, these attempts are deleted when they are older than `retentionDays` themselves. With an archive, they are
 * kept until the alerts and deliveries of the partition's day expire too.
 */
export async function removeExpiredAttempts(database: Database, retention: Retention): Promise<string[]> {
  const removed: string[] = [];
  const before = oldestDay(retention);
  for (const day of await listDays(database)) {
    if (day >= before || retention.signal?.aborted) break;
    const name = partitionName('attempts', day);
    if (!(await isEmptied(database.knex, name)) && (await emptyAttempts(database, day, retention)))
      removed.push(name);
    if (retention.archive) continue;
    await deleteInBatches(database, {
      from: name,
      where: 'started_at < ?',
      before,
      signal: retention.signal,
    });
  }
  return removed;
}

/** Returns true if the partition was emptied or does not exist any more. */
async function isEmptied(knex: Database['knex'], name: string): Promise<boolean> {
  const { rows } = await knex.raw(
    `select to_regclass(:name) is null or obj_description(to_regclass(:name), 'pg_class') = :emptied as result`,
    { name, emptied },
  );
  return rows[0].result === true;
}

/**
 * Empties the partition of a day. Without an archive, the partition is truncated. This locks only the partition, so
 * that other days can be read and written. With an archive, the partition is moved there and replaced by an empty one.
 * This locks the whole table for a short time. Returns false if another worker has already emptied the partition.
 */
async function emptyAttempts(
  { knex }: Database,
  day: number,
  { archive, nowMs }: Retention,
): Promise<boolean> {
  const name = partitionName('attempts', day);
  return knex.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
    await trx.raw(`lock table ${archive ? 'only attempts' : name} in access exclusive mode`);
    // Another worker may have emptied the partition meanwhile. The attempts that redeliveries have written since then
    // must be kept.
    if (await isEmptied(trx, name)) return false;
    if (archive) {
      await moveToArchive(trx, { partition: name, nowMs });
      await createPartition(trx, 'attempts', day);
    } else await trx.raw(`truncate ${name}`);
    await trx.raw(`comment on table ${name} is '${emptied}'`);
    return true;
  });
}

interface ExpiringRows {
  from: string;
  /** SQL condition of the expired rows, with one parameter of type timestamptz. */
  where: string;
  /** True: rows of the oldest day that still has partitions, and of all later days, are kept. */
  keptWithPartitions?: boolean;
}

const expiringRows = {
  keys: { from: 'alert_keys', where: 'accepted_at < ?', keptWithPartitions: true },
  statistics: { from: 'delivery_stats', where: 'at < ?', keptWithPartitions: true },
  'dead letters': { from: 'dead_letters', where: 'created_at < ?' },
  jobs: { from: 'jobs', where: `status <> 'running' and updated_at < ?` },
  'audit events': { from: 'audit_events', where: 'time < ?' },
} satisfies Record<string, ExpiringRows>;

/** A kind of rows that `deleteExpired` deletes. `keys` are alert keys. */
type ExpiringKind = keyof typeof expiringRows;

export const expiringKinds = Object.keys(expiringRows) as ExpiringKind[];

/**
 * Deletes the expired rows of one kind: rows older than `retentionDays` that `expiringRows` does not keep longer. For
 * kinds with `keptWithPartitions`, the days that still have partitions are read from the database. If a process drops
 * partitions and then crashes, the next call therefore deletes their alert keys.
 */
export async function deleteExpired(
  database: Database,
  kind: ExpiringKind,
  retention: Retention,
): Promise<void> {
  const { from, where, keptWithPartitions }: ExpiringRows = expiringRows[kind];
  const before = keptWithPartitions ? await firstDayKept(database, retention) : oldestDay(retention);
  await deleteInBatches(database, { from, where, before, signal: retention.signal });
}

async function firstDayKept(database: Database, retention: Retention): Promise<number> {
  const [firstDay = Number.POSITIVE_INFINITY] = await listDays(database);
  return Math.min(firstDay, oldestDay(retention));
}

/**
 * Deletes the health of webhooks that do not exist. A worker writes such a row if it records a request while the webhook
 * is being deleted. A check when the row is written would have to lock the webhook for each outcome.
 */
export async function deleteRowsOfDeletedWebhooks({ knex }: Database): Promise<void> {
  await knex('webhook_health')
    .whereRaw('not exists (select from webhooks w where w.id = webhook_id)')
    .delete();
}

/**
 * Maximum number of rows that one statement deletes. It is so small that the statement ends within the statement
 * timeout even on a slow disk. A statement for all rows of a day could exceed the timeout.
 */
const rowsInBatch = 50_000;

interface Batches extends Pick<ExpiringRows, 'from' | 'where'> {
  /** First day that is kept, in days since 1970. */
  before: number;
  signal: AbortSignal | undefined;
}

async function deleteInBatches({ knex }: Database, { from, where, before, signal }: Batches): Promise<void> {
  const batch = `delete from ${from} where ctid = any(array(select ctid from ${from} where ${where} limit ${rowsInBatch}))`;
  let deleted: number;
  do {
    deleted = (await knex.raw(batch, [new Date(before * dayMs)])).rowCount;
    // The loop ends only after an empty batch. A small batch is not the end, because another worker may be deleting
    // some of the same rows.
  } while (deleted > 0 && !signal?.aborted);
}

/** Returns the oldest day that is kept, in days since 1970. */
function oldestDay({ nowMs, retentionDays }: Retention): number {
  return Math.floor(nowMs / dayMs) - retentionDays;
}
