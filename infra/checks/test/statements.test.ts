import { createTestDatabase } from '@tocsin/testing/database';
import { findStatements } from './support/named-statements.js';

// A named statement is parsed by the server only when its path runs, so a typo could wait for a rare path.

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

test('the names of statements are unique', async () => {
  const names = (await findStatements()).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
