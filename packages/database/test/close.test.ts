import { until } from '@tocsin/testing';
import { createTestDatabase } from '@tocsin/testing/database';
import { createDatabase } from '../src/connection.js';

test('closing the pool waits for queries in progress', async () => {
  const db = await createTestDatabase();
  const database = createDatabase({ url: db.url, applicationName: 'closing', poolSize: 2 });
  const text = 'select pg_sleep(0.5), 1 as one';
  const queries = Promise.all([database.knex.raw(text), database.prepared({ name: 'sleep', text }, [])]);
  const sleeping = () =>
    db.database.knex('pg_stat_activity').where({ application_name: 'closing', state: 'active', query: text });
  await until('both queries are in progress', async () => (await sleeping()).length === 2);
  await database.close();
  const [raw, rows] = await queries;
  expect([raw.rows, rows]).toMatchObject([[{ one: 1 }], [{ one: 1 }]]);
  await db.drop();
});
