import type { Knex } from 'knex';
import type { Database } from './connection.js';
import { isLockTimeout } from './errors.js';
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

/**
 * A partition can only be dropped while nobody uses its table, and whoever comes meanwhile queues behind: a backup that
 * reads for an hour would stop every delivery for as long.
 */
const lockTimeoutMs = 200;

/**
 * Drops the partitions of a day (of days since 1970): of all tables or none, for a delivery without its alert could not
 * be claimed, and would be owed for ever. `owed`: something of it still is. `busy`: somebody reads, and is not waited for.
 */
export async function dropDay(database: Database, day: number): Promise<'dropped' | 'owed' | 'busy'> {
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
      for (const name of partitionsOf(day)) await trx.raw(`drop table if exists ${name}`);
      return 'dropped';
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'busy';
    throw error;
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

/** The days of which there are partitions, oldest first. */
export async function listDays(database: Database): Promise<number[]> {
  const days = new Set([...(await listPartitions(database.knex))].map(dayOfPartition));
  return [...days].sort((a, b) => a - b);
}

export function partitionsOf(day: number): string[] {
  return partitionedTables.map((table) => partitionName(table, day));
}

function partitionName(table: string, day: number): string {
  return `${table}_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function dayOfPartition(name: string): number {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / dayMs;
}
