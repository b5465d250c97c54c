import type { Knex } from 'knex';
import type { Database, PreparedStatement, Transaction } from './connection.js';
import { lockName } from './lock-name.js';
import { countingTriggers } from './migrations/0001-delivery-stats.js';
import { firstIdAt } from './record-id.js';

const dayMs = 86_400_000;
const daysAhead = 7;
const partitionedTables = ['alerts', 'deliveries', 'attempts'] as const;

/** Returns the time on the database's clock in Unix milliseconds. All workers use it to determine the current day. */
export async function readClock(database: Database): Promise<number> {
  const { rows } = await database.knex.raw('select clock_timestamp() as now');
  return rows[0].now.getTime();
}

/**
 * Creates the missing daily partitions from the day before `nowMs` to a week ahead. A partition is created as a
 * separate table and then attached, which blocks neither readers nor writers. A detached partition is attached again.
 * An advisory lock ensures that only one process at a time creates partitions.
 */
export async function ensurePartitions(database: Database, nowMs: number): Promise<void> {
  const today = Math.floor(nowMs / dayMs);
  const wanted = Array.from({ length: daysAhead + 2 }, (_, offset) => today - 1 + offset).flatMap((day) =>
    partitionedTables.map((table) => ({ table, day, name: partitionName(table, day) })),
  );
  const missingIn = async (knex: Knex) => {
    const existing = await listPartitions(knex);
    return wanted.filter((partition) => !existing.has(partition.name));
  };
  if ((await missingIn(database.knex)).length === 0) return;
  await database.knex.transaction(async (trx) => {
    await lockName(trx, 'partitions');
    for (const { table, day } of await missingIn(trx)) await createPartition(trx, table, day);
  });
}

/** Creates the missing partitions of a day, given as the number of days since 1970. */
export async function createPartitionsOfDay(trx: Transaction, day: number): Promise<void> {
  await lockName(trx, 'partitions');
  const existing = await listPartitions(trx);
  for (const table of partitionedTables)
    if (!existing.has(partitionName(table, day))) await createPartition(trx, table, day);
}

export async function createPartition(
  trx: Knex,
  table: (typeof partitionedTables)[number],
  day: number,
): Promise<void> {
  const name = partitionName(table, day);
  await trx.raw(`create table if not exists ${name} (like ${table} including all) ${storage[table]}`);
  await trx.raw(
    `alter table ${table} attach partition ${name}
     for values from ('${firstIdAt(day * dayMs)}') to ('${firstIdAt((day + 1) * dayMs)}')`,
  );
  // Each partition needs its own triggers that count deliveries: statement-level triggers of the partitioned table do
  // not fire for a statement that names a partition.
  if (table === 'deliveries') await trx.raw(countingTriggers(name));
}

/**
 * Storage parameters of new partitions, by table. Most deliveries are updated once. A quarter of each page of their
 * table stays free, so that the update of a succeeded delivery is HOT (writes no index entries).
 */
const storage: Record<(typeof partitionedTables)[number], string> = {
  alerts: '',
  deliveries: 'with (fillfactor = 75)',
  attempts: '',
};

async function listPartitions(knex: Knex): Promise<Set<string>> {
  const { rows } = await knex.raw(
    `select child.relname as name from pg_inherits
     join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
     where parent.relname = any(?) and parent.relkind = 'p'`,
    [[...partitionedTables]],
  );
  return new Set(rows.map((row: { name: string }) => row.name));
}

/** Returns the days that have partitions, as numbers of days since 1970, oldest first. */
export async function listDays(database: Database): Promise<number[]> {
  const days = new Set([...(await listPartitions(database.knex))].map(dayOfPartition));
  return [...days].sort((a, b) => a - b);
}

/** Returns the names of the partitions of a day, given as the number of days since 1970. */
export function partitionsOfDay(day: number): string[] {
  return partitionedTables.map((table) => partitionName(table, day));
}

/** Returns the name of a table's partition for a day, given as the number of days since 1970. */
export function partitionName(table: string, day: number): string {
  return `${table}_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/**
 * Limits a statement to the partitions of one day. The text of the statement has the SQL comment `day` after the name
 * of each partitioned table. In the returned statement, the suffix of the day's partitions replaces this comment.
 * Without the suffix, an update of the partitioned table would open the partitions of all days (docs/adr/0004).
 */
export function ofDay({ name, text }: PreparedStatement, day: number): PreparedStatement {
  const suffix = partitionName('', day);
  return { name: `${name}${suffix}`, text: text.replaceAll('/*day*/', suffix) };
}

function dayOfPartition(name: string): number {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / dayMs;
}
