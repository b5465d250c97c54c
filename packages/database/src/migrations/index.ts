import type { Knex } from 'knex';
import { initialSchema } from './0001-initial-schema.js';

export interface Migration {
  /** A name begins with a number of four digits. Migrations are applied in the alphabetical order of their names. */
  name: string;
  up: (knex: Knex) => Promise<unknown>;
}

/** Append-only: a released migration never changes. Expand first, contract in a later release. */
export const migrations: readonly Migration[] = [initialSchema];

/** Gives knex the migrations as code, so that they work from any folder and after any build. */
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
