import { createTestDatabase } from '@tocsin/testing/database';
import { findStatements } from './support/named-statements.js';

// PostgreSQL parses a named statement at its first execution. Without this test, a typo in a rarely used statement
// could stay undetected.

test('every named statement can be prepared on the migrated schema', async () => {
  const statements = await findStatements();
  expect(statements.length).toBeGreaterThan(25);
  const db = await createTestDatabase();
  const failures: string[] = [];
  for (const { name, text, file } of statements)
    await db.database.knex
      .transaction((trx) => trx.raw(`prepare "${name}" as ${text.replaceAll('?', '\\?')}`))
      .catch((error: Error) => failures.push(`${file}, ${name}: ${error.message}`));
  await db.drop();
  expect(failures).toEqual([]);
});

test('the names of the prepared statements are unique', async () => {
  const names = (await findStatements()).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
