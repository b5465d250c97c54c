import type { Knex } from 'knex';
import { initialSchema } from './0001-initial-schema.js';

export interface Migration {
  /**
   * Name of the migration. It begins with a number of four digits, because migrations are applied in alphabetical
   * order.
   */
  name: string;
  up: (knex: Knex) => Promise<unknown>;
}

/**
 * All migrations, oldest first. The list is append-only: a released migration is never changed. To replace a column, a
 * migration adds the new column, and a migration of a later release removes the old one.
 */
export const migrations: readonly Migration[] = [initialSchema];

/**
 * Passes the migrations to knex as code. knex would otherwise read files from a directory, whose path differs between
 * the sources and the build.
 */
export function createMigrationSource(list: readonly Migration[]): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...list],
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => ({
      up: (knex) => migration.up(knex),
      down: async () => {
        throw new Error('Migrations go forward only; restore a backup to go back.');
      },
    }),
  };
}
