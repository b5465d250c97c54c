import { migrateDatabase } from './migrate-database.js';
import { runCommand } from './run-command.js';

await runCommand({
  name: 'The migration',
  applicationName: 'tocsin-migrate',
  env: process.env,
  readSettings: () => ({}),
  async run(database) {
    const { applied, later } = await migrateDatabase(database);
    return [
      applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`,
      ...(later.length === 0
        ? []
        : [`Its schema is from a later version, with the migrations ${later.join(', ')}.`]),
    ];
  },
});
