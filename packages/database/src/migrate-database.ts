import type { Database, Transaction } from './connection.js';
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
  const migrated = await database.knex.transaction(async (trx) => {
    await waitForTurn(trx);
    const [completed] = (await trx.migrate.list(options)) as [{ name: string }[], unknown];
    const later = laterThanOurs(completed.map(({ name }) => name));
    const [, applied] = (await trx.migrate.latest(options)) as [number, string[]];
    return { applied, later };
  });
  await ensurePartitions(database, await readClock(database));
  return migrated;
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
