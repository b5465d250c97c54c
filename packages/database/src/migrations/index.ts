import type { Knex } from 'knex';
import { webhooksAndRules } from './0001-webhooks-and-rules.js';
import { alertsAndDeliveries } from './0002-alerts-and-deliveries.js';
import { apiKeys } from './0003-api-keys.js';
import { deadLettersAndRedeliveries } from './0004-dead-letters-and-redeliveries.js';
import { requestIds } from './0005-request-ids.js';
import { requestIdsOfDeadLetters } from './0006-request-ids-of-dead-letters.js';
import { secretTagsOfApiKeys } from './0007-secret-tags-of-api-keys.js';
import { sizesOfDeadLetters } from './0008-sizes-of-dead-letters.js';

interface NamedMigration {
  name: string;
  up: (knex: Knex) => Promise<unknown>;
}

/** Append-only: expand first, contract in a later release. */
const migrations: NamedMigration[] = [
  webhooksAndRules,
  alertsAndDeliveries,
  apiKeys,
  deadLettersAndRedeliveries,
  requestIds,
  requestIdsOfDeadLetters,
  secretTagsOfApiKeys,
  sizesOfDeadLetters,
];

/** Hands knex the migrations as code, so that they work from any folder and after any build. */
export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: async () => migrations,
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => ({
    up: (knex) => migration.up(knex),
    down: async () => {
      throw new Error('Migrations go forward only; restore a backup to go back.');
    },
  }),
};

/** Oldest first, and in the order of their letters. */
export const namesOfMigrations: readonly string[] = migrations.map(({ name }) => name);
