import { createDatabase } from './connection.js';
import { migrateDatabase } from './migrate-database.js';

const url = process.env.DATABASE_URL;
if (url === undefined || url === '') {
  process.stderr.write('DATABASE_URL is not set. It is the url of the database to migrate, postgres://…\n');
  process.exit(1);
}
const database = createDatabase({
  url,
  applicationName: 'tocsin-migrate',
  poolSize: 1,
  statementTimeoutMs: 0,
});
try {
  const { applied, later } = await migrateDatabase(database);
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
  );
  if (later.length > 0)
    process.stdout.write(`Its schema is from a later version, with the migrations ${later.join(', ')}.\n`);
} catch (error) {
  process.stderr.write(`The migration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await database.close();
}
