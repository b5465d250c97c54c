import { createHash, randomUUID } from 'node:crypto';
import { createDatabase, type Database, migrateDatabase, migrations } from '@tocsin/database';
import type { Knex } from 'knex';
import pg from 'pg';
import { type ResourceScope, useResource } from './use-resource.js';

export interface TestDatabase {
  url: string;
  database: Database;
  /** Closes the connections of `database` and drops the database. Other sessions that use it are ended. */
  drop(): Promise<void>;
}

/**
 * Creates a database on the server of TOCSIN_TEST_DATABASE_URL. The user in this URL must be allowed to create
 * databases. The new database has the tables of all migrations and no data. It is a clone of a template database,
 * because running the migrations takes longer. One template database is created each day for each version of the
 * schema.
 */
export async function createTestDatabase(
  serverUrl = process.env.TOCSIN_TEST_DATABASE_URL,
): Promise<TestDatabase> {
  if (!serverUrl) throw new Error(notSet);
  return createFrom(serverUrl, (client) => ensureTemplate(client, serverUrl));
}

/** Creates one database for all tests of a file, or one for each test, and drops it afterwards. */
export function useTestDatabase({
  each = 'file',
}: {
  each?: ResourceScope;
} = {}): Omit<TestDatabase, 'drop'> {
  return useResource({ each, create: () => createTestDatabase(), close: (created) => created.drop() });
}

/** Creates a database in which no migration has been run, so it has no tables. */
export async function createEmptyTestDatabase(
  serverUrl = process.env.TOCSIN_TEST_DATABASE_URL,
): Promise<TestDatabase> {
  if (!serverUrl) throw new Error(notSet);
  return createFrom(serverUrl, async () => 'template1');
}

/**
 * Expects that the service at `url` is not ready while its database has no tables, and that its response says to run
 * the migrations. Then runs the migrations, and expects that the service is ready.
 */
export async function expectReadyAfterMigration(url: string, { database }: TestDatabase): Promise<void> {
  const response = await fetch(`${url}/readyz`);
  expect([response.status, await response.json()]).toEqual([
    503,
    expect.objectContaining({
      detail: expect.stringMatching(/^Not ready: database\. .* run the migrations\.$/),
    }),
  ]);
  await migrateDatabase(database);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
}

const notSet = 'TOCSIN_TEST_DATABASE_URL is not set: run the tests with npm test.';

async function createFrom(
  serverUrl: string,
  findTemplate: (client: pg.Client) => Promise<string>,
): Promise<TestDatabase> {
  const name = `tocsin_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, async (client) => {
    await client.query(`create database ${name} template ${await findTemplate(client)}`);
  });
  const url = urlOf(serverUrl, name);
  const database = createDatabase({ url, applicationName: 'tocsin-test', poolSize: 5 });
  return {
    url,
    database,
    async drop() {
      await database.close();
      await onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/**
 * Creates the template database if it does not exist, and returns its name. Test files run concurrently, so one of them
 * creates the template while the others wait for the lock.
 */
async function ensureTemplate(client: pg.Client, serverUrl: string): Promise<string> {
  const template = await templateName();
  await client.query(`select pg_advisory_lock(hashtext('tocsin.test-template'))`);
  const found = await client.query('select 1 from pg_database where datname = $1', [template]);
  if (found.rowCount === 0) {
    const unfinished = `${template}_unfinished`;
    await client.query(`drop database if exists ${unfinished}`);
    await client.query(`create database ${unfinished}`);
    const database = createDatabase({
      url: urlOf(serverUrl, unfinished),
      applicationName: 'tocsin-test-template',
    });
    await migrateDatabase(database).finally(() => database.close());
    await client.query(`alter database ${unfinished} rename to ${template}`);
  }
  await client.query(`select pg_advisory_unlock(hashtext('tocsin.test-template'))`);
  return template;
}

/**
 * Returns a name that contains a hash of all statements of the migrations, and the current day. The day is necessary
 * because the migrations create partitions for one week only. An older template may have none for the current day.
 */
async function templateName(): Promise<string> {
  const statements: string[] = [];
  const recorder = { raw: async (sql: string) => statements.push(sql) } as unknown as Knex;
  for (const { up } of migrations) await up(recorder);
  const hash = createHash('sha256').update(statements.join('\n')).digest('hex').slice(0, 12);
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  return `tocsin_template_${hash}_${day}`;
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
