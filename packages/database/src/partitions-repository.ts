import type { Knex } from 'knex';
import type { Database } from './connection.js';
import { firstIdAt } from './record-id.js';

const dayMs = 86_400_000;
const daysAhead = 7;
const partitionedTables = ['alerts', 'deliveries', 'attempts'] as const;

/** The database's own clock, in Unix milliseconds: it alone says which day it is, for all workers. */
export async function readClock(database: Database): Promise<number> {
  const { rows } = await database.knex.raw('select clock_timestamp() as now');
  return rows[0].now.getTime();
}

/**
 * Makes the daily partitions from the day before `nowMs` to a week ahead, where they are missing. A partition is made
 * apart and then attached, which locks out neither readers nor writers; one that somebody detached is attached again.
 * Instances take turns under one advisory lock.
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
    await trx.raw(`select pg_advisory_xact_lock(hashtext('tocsin.partitions'))`);
    for (const { table, day, name } of await missingIn(trx)) {
      await trx.raw(`create table if not exists ${name} (like ${table} including all) ${storage[table]}`);
      await trx.raw(
        `alter table ${table} attach partition ${name}
         for values from ('${firstIdAt(day * dayMs)}') to ('${firstIdAt((day + 1) * dayMs)}')`,
      );
    }
  });
}

/** True for "no partition of relation … found for row": a check violation, as a bad value is, but of no constraint. */
export function isPartitionMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23514') return false;
  return !('constraint' in error) || error.constraint === undefined;
}

/**
 * Removes what is older than `retentionDays`: partitions of alerts, deliveries and attempts, alert keys, dead letters and
 * ended redelivery jobs; the names of the partitions that were dropped. A day of which something is still owed, or that
 * cannot be had at once because somebody reads, is left for the next turn, its keys with it.
 */
export async function dropExpired(
  database: Database,
  { nowMs, retentionDays }: { nowMs: number; retentionDays: number },
) {
  const oldest = Math.floor(nowMs / dayMs) - retentionDays;
  const days = new Set([...(await listPartitions(database.knex))].map(dayOfPartition));
  const dropped: string[] = [];
  let firstKept = oldest;
  for (const day of [...days].filter((known) => known < oldest).sort((a, b) => a - b)) {
    const outcome = await dropDay(database, day);
    if (outcome === 'dropped') {
      dropped.push(...partitionedTables.map((table) => partitionName(table, day)));
      await forgetKeys(database, day);
    } else firstKept = Math.min(firstKept, day);
    if (outcome === 'busy') break;
  }
  await database.knex.raw('delete from alert_keys where accepted_at < ?', [new Date(firstKept * dayMs)]);
  const before = new Date(oldest * dayMs);
  await database.knex.raw('delete from dead_letters where created_at < ?', [before]);
  await database.knex.raw(`delete from redeliveries where status <> 'running' and updated_at < ?`, [before]);
  return dropped;
}

/**
 * A partition can only be dropped while nobody uses its table, and whoever comes meanwhile queues behind: a backup that
 * reads for an hour would stop every delivery for as long.
 */
const lockTimeoutMs = 200;

/** All tables of a day or none: a delivery without its alert could not be claimed, and would be owed for ever. */
async function dropDay(database: Database, day: number): Promise<'dropped' | 'owed' | 'busy'> {
  try {
    return await database.knex.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      // Locked first: a delivery that is asked for again is owed before this, or is not found after it.
      await trx.raw(`lock table only ${partitionedTables.join(', only ')} in access exclusive mode`);
      const owed = await trx.raw(
        'select from open_deliveries where delivery_id >= ? and delivery_id < ? limit 1',
        [firstIdAt(day * dayMs), firstIdAt((day + 1) * dayMs)],
      );
      if (owed.rows.length > 0) return 'owed';
      for (const table of partitionedTables)
        await trx.raw(`drop table if exists ${partitionName(table, day)}`);
      return 'dropped';
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'busy';
    throw error;
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

const windowMs = 900_000;

/** Some minutes’ keys at a time: a whole day's would run into the time limit of a statement, each time anew. */
async function forgetKeys(database: Database, day: number): Promise<void> {
  for (let from = day * dayMs; from < (day + 1) * dayMs; from += windowMs) {
    await database.knex.raw('delete from alert_keys where accepted_at >= ? and accepted_at < ?', [
      new Date(from),
      new Date(from + windowMs),
    ]);
  }
}

/** A delivery's row is updated once in most lives: room on its page keeps that update HOT. */
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

function partitionName(table: string, day: number): string {
  return `${table}_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function dayOfPartition(name: string): number {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / dayMs;
}
