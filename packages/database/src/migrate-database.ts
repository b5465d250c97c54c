import { retry } from '@tocsin/kit';
import type { Database, Transaction } from './connection.js';
import { isLockTimeout } from './errors.js';
import { lockName } from './lock-name.js';
import { createMigrationSource, type Migration, migrations } from './migrations/index.js';
import { ensurePartitions, readClock } from './partitions-repository.js';

export interface MigrationResult {
  /** Names of the migrations that `migrateDatabase` has applied in this call. */
  applied: string[];
  /** Names of applied migrations that belong to a later version of Tocsin. */
  later: string[];
}

/**
 * Migrates the schema to this version and creates the partitions of the coming days. If the database has the schema of
 * a later version, no migration runs. A release removes nothing that the release before it needs, so this version can
 * use the schema of the next release (docs/adr/0006).
 * @throws Error if the schema has migrations that are neither from this version nor from a later one; nothing is
 * changed then
 */
export async function migrateDatabase(database: Database, list = migrations): Promise<MigrationResult> {
  const migrated = await retry(() => database.knex.transaction((trx) => migrate(trx, list)), {
    shouldRetry: (error, tries) => isLockTimeout(error) && tries < maxTries,
    backoff: () => retryDelayMs,
  });
  await ensurePartitions(database, await readClock(database));
  return migrated;
}

async function migrate(trx: Transaction, list: readonly Migration[]): Promise<MigrationResult> {
  await lockMigrations(trx);
  await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
  const options = {
    migrationSource: createMigrationSource(list),
    tableName: 'schema_migrations',
    // knex would reject the schema of a later version as corrupt. `laterMigrations` checks the applied migrations
    // instead.
    disableMigrationsListValidation: true,
  };
  const [completed] = (await trx.migrate.list(options)) as [{ name: string }[], unknown];
  const later = laterMigrations(
    completed.map(({ name }) => name),
    list.map(({ name }) => name),
  );
  const [, applied] = (await trx.migrate.latest(options)) as [number, string[]];
  return { applied, later };
}

/**
 * Maximum wait for a table lock, in milliseconds. While a migration waits for a lock, every new statement on the table
 * waits behind it.
 */
const lockTimeoutMs = 2_000;
/** Pause after a lock timeout, in milliseconds. Services can use the table during the pause. */
const retryDelayMs = 3_000;
/**
 * Maximum number of runs of the migration transaction. Together they take about ten minutes: each run waits up to 2 s
 * for a lock, and a pause of 3 s follows.
 */
const maxTries = 120;

/**
 * Ensures that one process migrates at a time. The lock is taken before knex creates its own tables, because two
 * processes must not create them at the same time. The server releases the lock at the end of the transaction, even if
 * the process is killed.
 */
async function lockMigrations(trx: Transaction): Promise<void> {
  await lockName(trx, 'migrations');
}

/**
 * Returns the names of the migrations that a later version has applied after all of ours.
 * @throws Error if the schema has any other unknown migration
 */
function laterMigrations(completed: string[], ours: string[]): string[] {
  const unknown = completed.filter((name) => !ours.includes(name));
  const newest = ours.at(-1) ?? '';
  const isLater = ours.every((name) => completed.includes(name)) && unknown.every((name) => name > newest);
  if (unknown.length > 0 && !isLater) throw new Error(foreignSchema(unknown));
  return unknown;
}

function foreignSchema(unknown: string[]): string {
  return (
    `The database has migrations that are not from this version or a later one: ${unknown.join(', ')}. ` +
    'If `npm start` made it with a development version of Tocsin, run `npm run reset` and start again. ' +
    'In every other case set DATABASE_URL to an empty database: ' +
    'no earlier version was released, so there is no upgrade from one.'
  );
}
