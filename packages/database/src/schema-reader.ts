import { AppError } from '@tocsin/kit';
import type { Database } from './connection.js';
import { isTableMissing } from './errors.js';
import { migrations } from './migrations/index.js';

/**
 * Check for `/readyz`: resolves if the database responds and has the schema of this version or of a later one.
 * @throws AppError `unavailable` if migrations are missing; the error of the database if it does not respond
 */
export async function checkSchema(database: Database): Promise<void> {
  if (!(await isMigrated(database)))
    throw new AppError(
      'unavailable',
      'The database does not have this version’s schema: run the migrations.',
    );
}

async function isMigrated(database: Database): Promise<boolean> {
  try {
    return (await database.prepared(newestMigration, [migrations.at(-1)?.name])).length > 0;
  } catch (error) {
    if (isTableMissing(error)) return false;
    throw error;
  }
}

const newestMigration = {
  name: 'schema.newest-migration',
  text: 'select from schema_migrations where name = $1',
};
