import { AppError } from '@tocsin/kit';
import type { Database } from './connection.js';
import { isTableMissing } from './errors.js';
import { namesOfMigrations } from './migrations/index.js';

/**
 * For `/readyz`: that the database answers and has the schema of this version; a later one will do.
 * @throws AppError with a sentence where the migrations have not been run, else the database's own error.
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
    return (await database.prepared(newestMigration, [namesOfMigrations.at(-1)])).length > 0;
  } catch (error) {
    if (isTableMissing(error)) return false;
    throw error;
  }
}

const newestMigration = {
  name: 'schema.newest-migration',
  text: 'select from schema_migrations where name = $1',
};
