import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from './connection.js';
import { isLockTimeout } from './errors.js';
import { migrationSource, namesOfMigrations } from './migrations/index.js';
import { ensurePartitions, readClock } from './partitions-repository.js';

export interface Migrated {
  /** The names of what was applied now. */
  applied: string[];
  /** What a later version of Tocsin has applied, and this one does not know. */
  later: string[];
}

/**
 * Brings the schema up to date and makes the partitions of the coming days. On a schema that a later version has made
 * nothing is left to do: migrations only add, so this version runs on it.
 */
export async function migrateDatabase(database: Database): Promise<Migrated> {
  const migrated = await untilLocked(() => database.knex.transaction(migrate));
  await ensurePartitions(database, await readClock(database));
  return migrated;
}

async function migrate(trx: Transaction): Promise<Migrated> {
  await waitForTurn(trx);
  await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
  const [completed] = (await trx.migrate.list(options)) as [{ name: string }[], unknown];
  const later = laterThanOurs(completed.map(({ name }) => name));
  const [, applied] = (await trx.migrate.latest(options)) as [number, string[]];
  return { applied, later };
}

/** Whoever comes to a table after a statement that waits for its lock waits behind it: the services, for so long. */
const lockTimeoutMs = 2_000;
const betweenTriesMs = 3_000;
const lockTries = 120;

/** Where something long holds a table, the services go on between two tries. */
async function untilLocked(work: () => Promise<Migrated>): Promise<Migrated> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || tries === lockTries) throw error;
      await sleep(betweenTriesMs);
    }
  }
}

/** knex would take a later version's schema for a corrupt one; what is truly foreign is refused below. */
const options = {
  migrationSource,
  tableName: 'schema_migrations',
  disableMigrationsListValidation: true,
};

/**
 * One at a time, from before the first table is looked for. The server frees the lock with the transaction, also where
 * whoever holds it is killed.
 */
async function waitForTurn(trx: Transaction): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtext('tocsin.migrations'))`);
}

/** @throws Error where the schema holds what is neither ours nor later than ours: it is another history. */
function laterThanOurs(completed: string[]): string[] {
  const unknown = completed.filter((name) => !namesOfMigrations.includes(name));
  const newest = namesOfMigrations.at(-1) ?? '';
  const foreign = unknown.filter((name) => name < newest);
  if (foreign.length > 0)
    throw new Error(
      `The database holds ${foreign.join(', ')}, which this version does not know and which is not of a later one.`,
    );
  return unknown;
}
