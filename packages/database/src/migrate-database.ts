import type { Database } from './connection.js';
import { migrationSource } from './migrations/index.js';
import { ensurePartitions } from './partitions-repository.js';

/** Brings the schema up to date and makes the partitions of the coming days; the names of what was applied. */
export async function migrateDatabase(database: Database): Promise<string[]> {
  const [, applied] = (await database.knex.migrate.latest({
    migrationSource,
    tableName: 'schema_migrations',
  })) as [number, string[]];
  await ensurePartitions(database, Date.now());
  return applied;
}
