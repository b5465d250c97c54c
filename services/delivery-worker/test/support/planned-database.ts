import { createDatabase, type Database } from '@tocsin/database';
import { createTestDatabase, type TestDatabase } from '@tocsin/testing/database';

/**
 * Creates a database before all tests of a file, and drops it after them. Its `poolSize` connections plan prepared
 * statements like the connections of a worker. `database` may be read only inside hooks and tests.
 */
export function usePlannedDatabase(options: { poolSize?: number } = {}): { readonly database: Database } {
  let db: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    db = await createTestDatabase();
    database = createDatabase({ url: db.url, applicationName: 'test', plansByKey: true, ...options });
  });
  afterAll(async () => {
    await database.close();
    await db.drop();
  });
  return {
    get database() {
      return database;
    },
  };
}
